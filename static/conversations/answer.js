/** One run on the page: its parts in order, and under them how it ended, what it cost and what to do next. */

import { ToolCard } from "./cards.js";
import { arrange, copyButton, h, icon, setText } from "./dom.js";
import { MarkdownView } from "./markdown.js";
import { Rating } from "./rating.js";
import { isOpen } from "./reducer.js";
import { changeText, routesLeft } from "./routes.js";
import { canRetry, isProviderError, wantsOtherModel } from "./texts.js";
import { ratedMessage } from "./thread.js";

class TextPart {
  constructor(texts, announce) {
    this.view = new MarkdownView(texts, announce);
    this.el = this.view.el;
  }

  update(part) {
    this.view.update(part.text, part.done);
  }
}

class ReasoningPart {
  constructor(texts) {
    this.texts = texts;
    this.label = h("span");
    this.body = h("div", { class: "reasoning-body" });
    this.el = h("details", { class: "reasoning" }, h("summary", {}, icon("chevron"), this.label), this.body);
  }

  update(part) {
    setText(this.label, this.texts.t(part.done ? "reasoning" : "thinking"));
    this.el.classList.toggle("live", !part.done);
    setText(this.body, part.text);
  }
}

class NoticePart {
  constructor(texts, announce) {
    Object.assign(this, { texts, announce });
    this.el = h("p", { class: "notice" });
  }

  update(part, offers) {
    const isNews = part !== this.part;
    this.part = part;
    setText(this.el, part.notice === "route" ? changeText(part, this.texts, offers) : this.texts.t(`notice_${part.notice}`, { message: part.message ?? "" }));
    if (isNews) this.announce(this.el.textContent);
  }
}

const PARTS = { text: TextPart, reasoning: ReasoningPart, tool: ToolCard, notice: NoticePart };

export class AnswerView {
  /** actions: {retry(turn, route|null), rate(turn, rating), announce(text)} */
  constructor(texts, actions) {
    Object.assign(this, { texts, actions, parts: new Map(), wasAwaited: false });
    this.flow = h("div", { class: "answer-flow" });
    this.working = h("div", { class: "working" }, h("span", { class: "dots", "aria-hidden": "true" }, h("i"), h("i"), h("i")), h("span", { text: texts.t("working") }));
    this.ending = h("div", { class: "answer-ending" });
    this.rating = new Rating(texts, (rating) => this.rated(rating));
    this.el = h("article", { class: "answer", "aria-label": texts.t("answer") }, this.flow, this.working, this.ending);
  }

  /** isNewest: the last turn of its conversation; offers: the models that there are. */
  update(turn, { isNewest, offers }) {
    const { run } = turn;
    this.rating.show(turn.rating);
    const isSame = this.turn && run === this.turn.run && turn.error === this.turn.error && isNewest === this.isNewest && offers === this.offers;
    Object.assign(this, { turn, isNewest, offers });
    if (isSame) return; // a rating alone must not take the focus from its button
    const open = isOpen(run);
    this.loud = open || this.wasAwaited; // what was read from the store is not news
    arrange(this.flow, (run?.parts ?? []).map((part) => this.partElement(part)));
    for (const key of this.parts.keys()) if (!run?.parts.some((part) => part.key === key)) this.parts.delete(key);
    const last = run?.parts.at(-1);
    this.working.hidden = !open || (last && last.type !== "notice" && !last.done && last.status !== "done");
    this.el.setAttribute("aria-busy", String(open));
    this.ending.replaceChildren(...(open ? [] : this.endings(turn)));
    this.wasAwaited = open || turn.user?.state === "sending";
  }

  partElement(part) {
    if (!this.parts.has(part.key)) {
      this.parts.set(part.key, new PARTS[part.type](this.texts, (text) => this.loud && this.actions.announce(text)));
    }
    const view = this.parts.get(part.key);
    view.update(part, this.offers);
    return view.el;
  }

  endings(turn) {
    const error = turn.error ?? turn.run?.error;
    return [this.stopped(turn.run), error && this.errorBox(error), this.citations(turn.run), this.foot(turn.run)].filter(Boolean);
  }

  stopped(run) {
    if (run?.status === "cancelled") return h("p", { class: "notice", text: this.texts.t(run.reason === "user" ? "stopped" : "stopped_elsewhere") });
    return run?.reason === "length" ? h("p", { class: "notice", text: this.texts.t("cut_off") }) : null;
  }

  errorBox(error) {
    const { title, advice } = this.texts.error(error);
    const buttons = canRetry(error.code) ? this.retryButtons(error.code) : [];
    if (this.loud) this.actions.announce(this.texts.sentences([title, advice, buttons[0]?.textContent]));
    return h("div", { class: "error-box" }, icon("alert"), h("div", {},
      h("p", { class: "error-title", text: title }),
      advice ? h("p", { class: "error-advice", text: advice }) : null,
      buttons.length ? h("div", { class: "error-actions" }, ...buttons) : null));
  }

  /** An older answer is the past: what follows it may have built on it. */
  retryButtons(code) {
    const { turn, offers, texts: { t } } = this;
    if (!turn.user || !this.isNewest) return [];
    const again = this.retryButton(t("try_again"), null);
    const withRoute = (route, kind) => this.retryButton(t("try_with", { model: offers.nameOf(route) }), route, kind);
    const next = isProviderError(code) && turn.run ? offers.first(routesLeft(turn.run), turn.run.route) : null;
    if (next) return [withRoute(next, "button primary"), again];
    const other = wantsOtherModel(code) ? offers.other(turn.run?.route) : null;
    return other ? [again, withRoute(other)] : [again];
  }

  retryButton(label, route, kind = "button") {
    return h("button", { type: "button", class: kind, on: { click: () => this.actions.retry(this.turn, route) } }, icon("retry"), label);
  }

  citations(run) {
    if (!run?.citations.length) return null;
    const entry = (citation) => h("li", { value: citation.number }, h("span", { text: citation.title || citation.source || "" }));
    return h("section", { class: "citations" }, h("h3", { text: this.texts.t("sources") }), h("ol", {}, ...run.citations.map(entry)));
  }

  rated(rating) {
    this.actions.rate(this.turn, rating);
    if (rating) this.actions.announce(this.texts.t("rate_noted"));
  }

  foot(run) {
    if (!run) return null;
    const words = run.parts.filter((part) => part.type === "text").map((part) => part.text).join("\n\n");
    const facts = [run.endedAt && this.texts.time(run.endedAt), run.route?.model, ...this.figures(run)].filter(Boolean);
    const copy = words.trim() ? copyButton(this.texts, () => words, { label: this.texts.t("copy_answer"), announce: this.actions.announce }) : null;
    const rating = ratedMessage(run) ? this.rating.elements : [];
    return h("footer", { class: "answer-foot" }, copy, ...rating, h("span", { class: "facts", title: run.endedAt ? this.texts.fullTime(run.endedAt) : null, text: facts.join(" · ") }));
  }

  figures(run) {
    const { t, number, money } = this.texts;
    const { usage, cost, currency } = run;
    if (!usage) return [];
    const tokens = t("tokens", { input: number(usage.input_tokens ?? 0), output: number(usage.output_tokens ?? 0) });
    return [(usage.estimated ? "≈ " : "") + tokens, cost === null ? null : money(cost, currency)];
  }
}
