/** Making elements. Text only ever becomes a text node. */

const SVG = "http://www.w3.org/2000/svg";

const ICONS = {
  chat: "M4 11.5a7.5 7.5 0 0 1 7.5-7.5h1a7.5 7.5 0 0 1 0 15H5.5L4 20.5Z M9 11.5h.01 M12 11.5h.01 M15 11.5h.01",
  close: "M6 6l12 12 M18 6 6 18",
  plus: "M12 5v14 M5 12h14",
  history: "M4 12a8 8 0 1 0 2.6-5.9L4 8.5 M4 4v4.5h4.5 M12 8v4.3l2.8 1.7",
  expand: "M14 5h5v5 M19 5l-7 7 M10 5H6.5A1.5 1.5 0 0 0 5 6.5v11A1.5 1.5 0 0 0 6.5 19h11a1.5 1.5 0 0 0 1.5-1.5V14",
  send: "M12 19V5.5 M6 11l6-6 6 6",
  stop: "M8 8h8v8H8Z",
  copy: "M9 9h9.5v10.5H9Z M15 9V4.5H5.5V15H9",
  check: "M5 12.5l4.5 4.5L19 7.5",
  cross: "M7 7l10 10 M17 7 7 17",
  down: "M12 5v13.5 M6 13l6 6 6-6",
  chevron: "M9 6l6 6-6 6",
  tool: "M14.5 6.5a4 4 0 0 1 5-1l-2.7 2.7 1.5 1.5 2.7-2.7a4 4 0 0 1-5.5 5L9 18.5a1.8 1.8 0 0 1-2.5-2.5l6.5-6.5a4 4 0 0 1 1.5-3Z",
  retry: "M19.5 12a7.5 7.5 0 1 1-2.4-5.5L19.5 9 M19.5 4.5V9H15",
  alert: "M12 8v5 M12 16.3h.01 M12 3.5 21.5 20h-19Z",
  blocked: "M5.6 5.6l12.8 12.8 M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18Z",
  question: "M9.2 9.2a2.8 2.8 0 1 1 4.2 2.4c-.9.5-1.4 1.1-1.4 2.1 M12 17h.01",
  image: "M4 5h16v14H4Z M4 16l4.5-4.5 4 4 3-3L20 17 M15.5 9h.01",
  thumb: "M4.5 10.8h3v8.7h-3Z M7.5 10.8l3.6-6.9c1.3 0 2.3 1 2.3 2.3v3.3h4.5c1.2 0 2 1.1 1.7 2.2l-1.7 6.2c-.2.9-1 1.6-2 1.6H7.5",
  info: "M12 11v5.5 M12 7.7h.01 M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17Z",
  spark: "M12 3.5c.6 4.7 3.3 7.4 8 8-4.7.6-7.4 3.3-8 8-.6-4.7-3.3-7.4-8-8 4.7-.6 7.4-3.3 8-8Z",
};

/** h("button", {class, text, on: {click}, disabled: true, "aria-label": …}, ...children) */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "text") element.textContent = value;
    else if (name === "on") for (const [type, handler] of Object.entries(value)) element.addEventListener(type, handler);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", `icon icon-${name}`);
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

export function iconButton(name, label, onClick, properties = {}) {
  return h("button", { type: "button", class: "icon-button", "aria-label": label, title: label, on: { click: onClick }, ...properties }, icon(name));
}

/** Change text only where it differs, so that selections and screen readers are left alone. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Put `elements` into `parent` in this order, touching only what is out of place. */
export function arrange(parent, elements) {
  const wanted = elements.filter(Boolean);
  for (const child of [...parent.children]) if (!wanted.includes(child)) child.remove();
  wanted.forEach((element, index) => {
    if (parent.children[index] !== element) parent.insertBefore(element, parent.children[index] ?? null);
  });
}

/** Copy to the clipboard; false when the browser refuses. */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** A button that copies what `read()` returns, and says that it did. */
export function copyButton(texts, read, { label = texts.t("copy"), announce = () => {} } = {}) {
  const button = iconButton("copy", label, async () => {
    const done = await copyText(read());
    button.replaceChildren(icon(done ? "check" : "cross"));
    announce(texts.t(done ? "copied" : "copy_failed"));
    setTimeout(() => button.replaceChildren(icon("copy")), 1600);
  }, { class: "icon-button small" });
  return button;
}
