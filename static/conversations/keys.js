/** What a key press in the composer means. Pure, for the one rule that must never break: composing is not sending. */

const IME_KEY_CODE = 229; // Safari ends the composition before this key press; only the code still tells.

/** True when this key press sends: Enter alone, and not the Enter that picks a candidate of an input method. */
export function sends(event, composing = false) {
  if (event.key !== "Enter" || composing || event.isComposing || event.keyCode === IME_KEY_CODE) return false;
  return !(event.shiftKey || event.ctrlKey || event.altKey || event.metaKey);
}

/** True when this key press closes the drawer: Escape that no input method and no menu wants. */
export function closes(event) {
  return event.key === "Escape" && !event.defaultPrevented && !event.isComposing && event.keyCode !== IME_KEY_CODE;
}
