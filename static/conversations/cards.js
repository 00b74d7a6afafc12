/** A tool call as a card: what it does in a line, its state, and on demand what went in and came out. */

import { copyButton, h, icon, setText } from "./dom.js";

const STATE_ICONS = { running: null, waiting: "question", done: "check", failed: "alert", denied: "blocked", cancelled: "blocked", unknown: "question" };

/** JSON a person can read; text stays text, also when it is JSON inside a string. */
export function pretty(value) {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") {
    try {
      const parsed = JSON.parse(value);
      return typeof parsed === "object" && parsed !== null ? JSON.stringify(parsed, null, 2) : value;
    } catch {
      return value;
    }
  }
  return JSON.stringify(value, null, 2);
}

const isEmpty = (value) => value === undefined || value === null || value === "" || (typeof value === "object" && Object.keys(value).length === 0);

/** One line of the arguments, for a call that has no summary of its own. */
export function brief(args) {
  if (isEmpty(args)) return "";
  if (typeof args !== "object") return String(args);
  return Object.values(args).map((value) => (typeof value === "object" ? JSON.stringify(value) : String(value))).join(" · ");
}

export class ToolCard {
  constructor(texts, announce) {
    Object.assign(this, { texts, announce, state: null });
    this.icon = h("span", { class: "card-icon" }, icon("tool"));
    this.name = h("span", { class: "card-name" });
    this.line = h("span", { class: "card-line" });
    this.status = h("span", { class: "card-status" });
    this.time = h("span", { class: "card-time" });
    const head = h("summary", {}, this.icon, h("span", { class: "card-words" }, this.line, this.name), this.time, this.status, icon("chevron"));
    this.body = h("div", { class: "card-body" });
    this.el = h("details", { class: "card" }, head, this.body);
  }

  update(part) {
    if (part === this.part) return;
    this.part = part;
    setText(this.line, part.summary || part.name || "");
    setText(this.name, part.summary ? part.name : brief(part.arguments));
    setText(this.time, part.durationMs === null || part.durationMs === undefined ? "" : this.texts.duration(part.durationMs));
    this.showState(part.status);
    this.body.replaceChildren(...this.sections(part));
  }

  showState(state) {
    if (state === this.state) return;
    const label = this.texts.t(`tool_${state}`);
    this.el.dataset.state = state;
    this.status.replaceChildren(STATE_ICONS[state] ? icon(STATE_ICONS[state]) : h("span", { class: "spinner", "aria-hidden": "true" }), h("span", { text: label }));
    if (this.state !== null || state === "running") this.announce(`${this.part.name}: ${label}`);
    this.state = state;
  }

  sections(part) {
    const { t } = this.texts;
    const sections = [];
    if (part.error) {
      const { title } = this.texts.error(part.error);
      sections.push(h("p", { class: "card-error", text: title }));
    }
    if (part.status === "unknown") sections.push(h("p", { class: "card-note", text: t("tool_unknown_note") }));
    if (!isEmpty(part.arguments)) sections.push(this.section(t("arguments"), part.arguments));
    // A tool may have something better for a person than what the model reads.
    const result = isEmpty(part.forUi) ? part.result : part.forUi;
    if (!isEmpty(result)) sections.push(this.section(t("result"), result));
    if (!sections.length) sections.push(h("p", { class: "card-note", text: t("tool_no_details") }));
    return sections;
  }

  section(title, value) {
    const text = pretty(value);
    return h("section", {},
      h("header", {}, h("h3", { text: title }), copyButton(this.texts, () => text, { announce: this.announce })),
      h("pre", { tabindex: "0", "aria-label": title }, h("code", { text })));
  }
}
