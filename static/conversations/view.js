/** The thread on the page: turns by key, the empty state, and a scroll that follows only a reader who is there. */

import { AnswerView } from "./answer.js";
import { arrange, h, icon, setText } from "./dom.js";
import { isScript, suggestionOf } from "./suggestions.js";

const NEAR_PX = 48;

class TurnView {
  constructor(texts, actions) {
    this.texts = texts;
    this.time = h("time", { class: "user-time" });
    this.words = h("div", { class: "user-text" });
    this.state = h("span", { class: "user-state" });
    this.user = h("article", { class: "user", "aria-label": texts.t("you") }, this.words, h("footer", {}, this.state, this.time));
    this.answer = new AnswerView(texts, actions);
    this.el = h("section", { class: "turn" }, this.user, this.answer.el);
  }

  update(turn, around) {
    if (turn === this.turn && around.isNewest === this.around.isNewest && around.offers === this.around.offers) return;
    Object.assign(this, { turn, around });
    this.user.hidden = !turn.user;
    if (turn.user) this.showUser(turn.user);
    this.answer.el.hidden = !turn.run && !turn.error;
    this.answer.update(turn, around);
  }

  showUser(user) {
    setText(this.words, user.text);
    setText(this.time, this.texts.time(user.at));
    this.time.setAttribute("datetime", user.at ?? "");
    this.time.title = this.texts.fullTime(user.at);
    setText(this.state, user.state === "sent" ? "" : this.texts.t(`user_${user.state}`));
    this.user.dataset.state = user.state;
  }
}

export class ThreadView {
  /** actions: those of AnswerView, and suggest(text). greeting: {agent, description, name, suggestions, help}. */
  constructor(texts, actions, greeting) {
    Object.assign(this, { texts, actions, turns: new Map(), atBottom: true, height: 0 });
    this.list = h("div", { class: "turns" });
    this.empty = this.emptyState(greeting);
    this.loading = h("div", { class: "loading", hidden: true, "aria-hidden": "true" }, h("i"), h("i"), h("i"));
    this.scroller = h("div", { class: "scroller", tabindex: "0", role: "region", "aria-label": texts.t("conversation") }, this.loading, this.empty, this.list);
    this.more = h("button", { type: "button", class: "more", hidden: true, on: { click: () => this.toBottom() } }, icon("down"), h("span", { text: texts.t("new_text") }));
    this.el = h("div", { class: "thread" }, this.scroller, this.more);
    this.scroller.addEventListener("scroll", () => this.scrolled(), { passive: true });
    // Who opens a card wants to read it from its top, not to be taken to its end.
    this.scroller.addEventListener("click", (event) => { if (event.target.closest("summary")) this.atBottom = false; });
    // The layout also changes without a render: a font arrives, the composer grows.
    this.observer = new ResizeObserver(() => this.atBottom && this.toBottom());
    this.observer.observe(this.list);
    this.observer.observe(this.scroller);
  }

  emptyState({ agent, description, name, suggestions, help }) {
    const { t } = this.texts;
    Object.assign(this, { agent, description, suggestions: suggestions.map(suggestionOf), hint: h("p") });
    this.offline = this.offlineNote(help);
    this.chips = h("ul", { class: "chips", "aria-label": t("suggestions"), hidden: true });
    return h("div", { class: "empty" },
      h("span", { class: "empty-mark", "aria-hidden": "true" }, icon("spark")),
      h("h3", { text: name ? t("hello_name", { name }) : t("hello") }),
      this.hint,
      this.chips,
      this.offline);
  }

  chip({ label, text }) {
    const script = text === label ? null : h("code", { class: "chip-script", text });
    return h("li", {}, h("button", { type: "button", class: "chip", on: { click: () => this.actions.suggest(text) } },
      h("span", { class: "chip-words" }, h("span", { text: label }), script), icon("chevron")));
  }

  /** What to expect of a model that only follows a script, and how to get a real one. help: {text, url}. */
  offlineNote({ text, url } = {}) {
    const { t } = this.texts;
    const way = url ? h("a", { href: url, text: t("offline_connect") }) : h("span", { text: text || t("offline_ask_admin") });
    return h("aside", { class: "offline", hidden: true, "aria-label": t("offline_title") }, icon("info"),
      h("div", {}, h("strong", { text: t("offline_title") }), h("p", { text: t("offline_text") }), h("p", {}, way)));
  }

  showOffline(isOffline) {
    this.offline.hidden = !isOffline;
    const usable = this.suggestions.filter(({ text }) => isOffline || !isScript(text));
    this.chips.replaceChildren(...usable.map((suggestion) => this.chip(suggestion)));
    this.chips.hidden = usable.length === 0;
    const { agent, texts: { t } } = this;
    setText(this.hint, this.description || (usable.length ? t("empty_hint", { agent }) : t("empty_hint_alone", { agent })));
  }

  render(thread, { offers, loading = false }) {
    const elements = thread.turns.map((turn) => this.turnElement(turn, { isNewest: turn === thread.turns.at(-1), offers }));
    arrange(this.list, elements);
    for (const key of this.turns.keys()) if (!thread.turns.some((turn) => turn.key === key)) this.turns.delete(key);
    this.empty.hidden = loading || elements.length > 0;
    this.loading.hidden = !loading;
    const height = this.list.offsetHeight;
    if (this.atBottom) this.toBottom();
    else if (height > this.height) this.more.hidden = false;
    this.height = height;
  }

  turnElement(turn, around) {
    if (!this.turns.has(turn.key)) this.turns.set(turn.key, new TurnView(this.texts, this.actions));
    const view = this.turns.get(turn.key);
    view.update(turn, around);
    return view.el;
  }

  /** Another conversation: begin at its end. */
  reset() {
    this.turns.clear();
    this.list.replaceChildren();
    this.toBottom();
  }

  scrolled() {
    const { scrollHeight, scrollTop, clientHeight } = this.scroller;
    this.atBottom = scrollHeight - scrollTop - clientHeight < NEAR_PX;
    if (this.atBottom) this.more.hidden = true;
  }

  /** An empty conversation is read from its top. */
  toBottom() {
    this.atBottom = true;
    this.more.hidden = true;
    this.scroller.scrollTop = this.list.childElementCount ? this.scroller.scrollHeight : 0;
  }
}
