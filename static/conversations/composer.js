/** Where a person writes: grows with the text, Enter sends, and the button that sends is the one that stops. */

import { h, icon, setText } from "./dom.js";
import { sends } from "./keys.js";

const MAX_PX = 220;

export class Composer {
  /** actions: {send(text), stop(), draft(text)}; maxChars: how long a message may be. */
  constructor(texts, actions, { placeholder, modelBar, maxChars = Infinity }) {
    Object.assign(this, { texts, actions, maxChars, running: false, stopping: false, composing: false });
    this.label = h("label", { class: "sr", for: "text", text: placeholder });
    this.area = h("textarea", { id: "text", name: "text", rows: "1", placeholder, autocomplete: "off", "aria-describedby": "hint", enterkeyhint: "send" });
    this.button = h("button", { type: "button", class: "send", on: { click: () => this.press() } });
    this.tooLong = h("p", { id: "too-long", class: "too-long", role: "alert", hidden: true });
    this.warning = h("span", { class: "hint-warning" });
    const hint = h("p", { id: "hint", class: "hint" }, h("span", { class: "hint-keys", text: texts.t("composer_hint") }), this.warning);
    this.el = h("form", { class: "composer", on: { submit: (event) => event.preventDefault() } },
      h("div", { class: "composer-box" }, this.label, this.area, this.tooLong, h("div", { class: "composer-bar" }, modelBar, this.button)), hint);
    this.listen();
    this.setRunning(false);
  }

  listen() {
    this.area.addEventListener("compositionstart", () => { this.composing = true; });
    this.area.addEventListener("compositionend", () => { this.composing = false; });
    this.area.addEventListener("input", () => this.changed());
    this.area.addEventListener("keydown", (event) => {
      if (!sends(event, this.composing)) return;
      event.preventDefault();
      this.submit();
    });
  }

  get text() {
    return this.area.value;
  }

  set text(value) {
    this.area.value = value;
    this.changed();
  }

  changed() {
    this.grow();
    this.showLength();
    this.showButton();
    this.actions.draft(this.area.value);
  }

  /** Characters as the server counts them: an emoji is one. Counted only where it can matter. */
  get isTooLong() {
    const { value } = this.area;
    return value.length > this.maxChars && [...value].length > this.maxChars;
  }

  showLength() {
    const { number, t } = this.texts;
    const isTooLong = this.isTooLong;
    if (isTooLong) setText(this.tooLong, t("too_long", { n: number([...this.area.value].length), max: number(this.maxChars) }));
    this.tooLong.hidden = !isTooLong;
    this.area.setAttribute("aria-invalid", String(isTooLong));
  }

  /** The words of a send that was refused come back, before what was typed meanwhile. */
  giveBack(words) {
    const typed = this.area.value;
    if (!typed.startsWith(words)) this.text = typed.trim() ? `${words}\n\n${typed}` : words;
  }

  /** Whom the words go to. */
  address(placeholder) {
    setText(this.label, placeholder);
    this.area.placeholder = placeholder;
  }

  /** What a reader should bear in mind, under the box. */
  warn(text) {
    setText(this.warning, text);
  }

  grow() {
    this.area.style.height = "auto";
    const wanted = this.area.scrollHeight;
    this.area.style.height = `${Math.min(wanted, MAX_PX)}px`;
    this.area.style.overflowY = wanted > MAX_PX ? "auto" : "hidden";
  }

  /** While an answer comes, the same place stops it; what was typed stays. */
  setRunning(running, stopping = false) {
    Object.assign(this, { running, stopping });
    this.showButton();
  }

  showButton() {
    const name = this.running ? "stop" : "send";
    const label = this.texts.t(this.stopping ? "stopping" : name);
    // Pressed once is enough; not `disabled`, which would lose the focus.
    this.button.setAttribute("aria-disabled", String(this.stopping));
    this.button.disabled = !this.running && (!this.area.value.trim() || this.isTooLong);
    if (this.button.dataset.does === name && this.button.title === label) return;
    this.button.dataset.does = name;
    this.button.title = label;
    this.button.setAttribute("aria-label", label);
    this.button.replaceChildren(icon(name));
  }

  press() {
    if (this.stopping) return;
    if (this.running) this.actions.stop();
    else this.submit();
    this.area.focus();
  }

  submit() {
    const text = this.area.value;
    if (this.running || !text.trim() || this.isTooLong) return;
    this.text = "";
    this.actions.send(text);
  }

  focus() {
    this.area.focus({ preventScroll: true });
  }
}
