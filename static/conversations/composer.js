/** Where a person writes: grows with the text, Enter sends, and the button that sends is the one that stops. */

import { h, icon } from "./dom.js";
import { sends } from "./keys.js";

const MAX_PX = 220;

export class Composer {
  /** actions: {send(text), stop(), draft(text)} */
  constructor(texts, actions, { placeholder, modelBar }) {
    Object.assign(this, { texts, actions, running: false, composing: false });
    const label = h("label", { class: "sr", for: "text", text: placeholder });
    this.area = h("textarea", { id: "text", name: "text", rows: "1", placeholder, autocomplete: "off", "aria-describedby": "hint", enterkeyhint: "send" });
    this.button = h("button", { type: "button", class: "send", on: { click: () => this.press() } });
    const hint = h("p", { id: "hint", class: "hint", text: texts.t("composer_hint") });
    this.el = h("form", { class: "composer", on: { submit: (event) => event.preventDefault() } },
      h("div", { class: "composer-box" }, label, this.area, h("div", { class: "composer-bar" }, modelBar, this.button)), hint);
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
    this.showButton();
    this.actions.draft(this.area.value);
  }

  grow() {
    this.area.style.height = "auto";
    const wanted = this.area.scrollHeight;
    this.area.style.height = `${Math.min(wanted, MAX_PX)}px`;
    this.area.style.overflowY = wanted > MAX_PX ? "auto" : "hidden";
  }

  /** While an answer comes, the same place stops it; what was typed stays. */
  setRunning(running) {
    this.running = running;
    this.showButton();
  }

  showButton() {
    const name = this.running ? "stop" : "send";
    const label = this.texts.t(name);
    this.button.disabled = !this.running && !this.area.value.trim();
    if (this.button.dataset.does === name) return;
    this.button.dataset.does = name;
    this.button.title = label;
    this.button.setAttribute("aria-label", label);
    this.button.replaceChildren(icon(name));
  }

  press() {
    if (this.running) this.actions.stop();
    else this.submit();
    this.area.focus();
  }

  submit() {
    const text = this.area.value;
    if (this.running || !text.trim()) return;
    this.text = "";
    this.actions.send(text);
  }

  focus() {
    this.area.focus({ preventScroll: true });
  }
}
