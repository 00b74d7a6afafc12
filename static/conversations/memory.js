/** What the browser remembers for this user. Storage can be full or forbidden: then nothing is remembered. */

function attempt(action) {
  try {
    return action();
  } catch {
    return null;
  }
}

/**
 * The conversation is kept for the tab (a reload finds it), and the last one for new tabs.
 * Keys carry the user, so that two people at one browser do not meet each other's drafts.
 */
export function makeMemory(user) {
  const key = (name) => `steward:${user}:${name}`;
  const read = (store, name) => attempt(() => store().getItem(key(name)));
  const write = (store, name, value) => attempt(() => (value === null ? store().removeItem(key(name)) : store().setItem(key(name), value)));
  const tab = () => sessionStorage;
  const all = () => localStorage;
  return {
    isOpen: () => read(all, "open") === "1",
    setOpen: (open) => write(all, "open", open ? "1" : "0"),
    /** An id, or "" for a conversation that has not begun. */
    conversation: () => read(tab, "conversation") ?? read(all, "conversation") ?? "",
    setConversation(id) {
      write(tab, "conversation", id ?? "");
      if (id) write(all, "conversation", id);
    },
    model: () => read(all, "model") ?? "",
    setModel: (value) => write(all, "model", value),
    draft: () => read(tab, "draft") ?? "",
    setDraft: (text) => write(tab, "draft", text || null),
    /** Sends without an answer yet: [{send_id, text, …}], sent again after a reload. */
    pending: () => attempt(() => JSON.parse(read(tab, "pending") ?? "[]")) ?? [],
    setPending: (frames) => write(tab, "pending", frames.length ? JSON.stringify(frames) : null),
  };
}
