/** What a screen reader is told: whole sentences and blocks, gathered, never single tokens. */

import { h } from "./dom.js";

const GATHER_MS = 600;

export class Announcer {
  constructor() {
    this.el = h("div", { class: "sr", role: "status", "aria-live": "polite", "aria-atomic": "true" });
    this.words = [];
    this.timer = null;
  }

  say(text) {
    const words = text?.trim();
    if (!words) return;
    this.words.push(words);
    this.timer ??= setTimeout(() => this.speak(), GATHER_MS);
  }

  speak() {
    this.timer = null;
    this.el.textContent = this.words.splice(0).join("\n");
  }
}
