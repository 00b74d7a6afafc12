/** The earlier conversations, newest first. */

import { arrange, h, iconButton } from "./dom.js";

export class HistoryList {
  /** actions: {open(conversationId), create(), close()} */
  constructor(texts, actions) {
    Object.assign(this, { texts, actions });
    this.list = h("ul", { class: "history-list" });
    this.none = h("p", { class: "history-none", text: texts.t("no_conversations") });
    const heading = h("header", {}, h("h2", { id: "history-title", text: texts.t("conversations") }),
      iconButton("close", texts.t("close_list"), () => actions.close(), { class: "icon-button history-close" }));
    const create = h("button", { type: "button", class: "button history-new", text: texts.t("new_conversation"), on: { click: () => actions.create() } });
    this.el = h("nav", { class: "history", "aria-labelledby": "history-title", on: { keydown: (event) => this.pressed(event) } }, heading, create, this.none, this.list);
  }

  render(conversations, currentId) {
    if (conversations === this.shown && currentId === this.currentId) return;
    Object.assign(this, { shown: conversations, currentId });
    this.none.hidden = conversations.length > 0;
    arrange(this.list, conversations.map((conversation) => this.entry(conversation)));
  }

  entry({ conversation_id: id, title, updated_at: at, open_run_id: openRunId }) {
    const name = h("span", { class: "history-name", text: title || this.texts.t("untitled") });
    const time = h("time", { datetime: at, text: this.texts.shortDate(at) });
    const live = openRunId ? h("span", { class: "history-live", title: this.texts.t("working"), "aria-label": this.texts.t("working") }) : null;
    const current = id === this.currentId ? "true" : null;
    return h("li", {}, h("button", { type: "button", "aria-current": current, on: { click: () => this.actions.open(id) } }, name, live, time));
  }

  pressed(event) {
    if (event.key !== "Escape" || this.el.offsetParent === null) return;
    event.preventDefault();
    event.stopPropagation();
    this.actions.close();
  }

  focus() {
    this.el.querySelector("button").focus();
  }
}
