/** The chat itself, in a drawer or on a page: header, notices, thread, composer, list of conversations. */

import { Announcer } from "./announce.js";
import { Composer } from "./composer.js";
import { h, icon, iconButton, setText } from "./dom.js";
import { HistoryList } from "./history.js";
import { isOpen } from "./reducer.js";
import { ModelBar } from "./models.js";
import { ThreadView } from "./view.js";

export class Panel {
  /** options: {agentName, description, suggestions, userName, standard, offline, help, maxChars, pageUrl, loginUrl, onClose} */
  constructor(texts, memory, options) {
    Object.assign(this, { texts, memory, options, agents: null });
    this.announcer = new Announcer();
    const announce = (text) => this.announcer.say(text);
    this.models = new ModelBar(texts, {
      chosen: memory.model(), standard: options.standard, offline: options.offline, onChange: (value) => this.modelChosen(value),
    });
    this.thread = new ThreadView(texts, {
      announce,
      suggest: (text) => this.send(text),
      retry: (turn, route) => this.retry(turn, route),
      rate: (turn, rating) => this.session.rate(turn, rating),
    }, { agent: options.agentName, description: options.description, name: options.userName, suggestions: options.suggestions, help: options.help });
    this.composer = new Composer(texts, {
      send: (text) => this.send(text), stop: () => this.session.stop(), draft: (text) => memory.setDraft(text),
    }, { placeholder: texts.t("placeholder", { agent: options.agentName }), modelBar: this.models.el, maxChars: options.maxChars });
    this.history = new HistoryList(texts, {
      open: (id) => this.openConversation(id), create: () => this.newConversation(), close: () => this.toggleHistory(false),
    });
    this.notice = h("div", { class: "bar", role: "status", hidden: true });
    this.column = h("div", { class: "column" }, this.header(), this.notice, this.thread.el, this.composer.el);
    this.el = h("div", { class: "panel" }, this.history.el, this.column, this.announcer.el);
  }

  header() {
    const { t } = this.texts;
    this.title = h("h2", { id: "title" });
    this.subtitle = h("p", { class: "subtitle" });
    this.historyButton = iconButton("history", t("conversations"), () => this.toggleHistory(), { "aria-expanded": "false", class: "icon-button toggle-history" });
    const page = this.options.pageUrl
      ? h("a", { class: "icon-button to-page", href: this.options.pageUrl, "aria-label": t("open_page"), title: t("open_page") }, icon("expand")) : null;
    const close = this.options.onClose ? iconButton("close", t("close"), this.options.onClose, { class: "icon-button close" }) : null;
    return h("div", { class: "head" }, this.historyButton, h("div", { class: "titles" }, this.title, this.subtitle),
      iconButton("plus", t("new_conversation"), () => this.newConversation(), { class: "icon-button new" }), page, close);
  }

  /** Called with the session once both exist. */
  bind(session) {
    this.session = session;
    this.composer.text = this.memory.draft();
    this.warn();
    this.render();
  }

  modelChosen(value) {
    this.memory.setModel(value);
    this.warn();
  }

  showModels(models) {
    this.models.show(models);
    this.warn();
    this.render();
  }

  /** Whether a send found its model gone. The choice falls back to the default then. */
  lacksModel(frame) {
    return !this.models.has(frame);
  }

  /** Whom one talks to decides what to bear in mind: a script, or a model that can be wrong. */
  warn() {
    const { isOffline } = this.models;
    this.thread.showOffline(isOffline);
    this.composer.warn(this.texts.t(isOffline ? "offline_hint" : "subtitle"));
  }

  render() {
    const { session } = this;
    if (session.thread.conversationId !== this.shownId && session.thread.turns.length === 0) this.thread.reset();
    this.shownId = session.thread.conversationId;
    this.thread.render(session.thread, { loading: session.loading, offers: this.models.offers });
    this.composer.setRunning(session.busy, session.stopping);
    this.renderAgent(session.thread);
    this.history.render(session.conversations, session.thread.conversationId);
    this.renderNotice(session);
    this.tellEnd(session);
  }

  renderAgent(thread) {
    const { name, standard } = this.agentOf(thread.agent);
    setText(this.title, thread.title || name);
    this.subtitle.hidden = !thread.title;
    setText(this.subtitle, name);
    this.composer.address(this.texts.t("placeholder", { agent: name }));
    if (this.models.setStandard(standard)) this.warn();
  }

  /** A conversation may be with another agent than the page's own. One that is gone has no name but its id. */
  agentOf(agent) {
    if (agent && this.agents) return this.agents.get(agent) ?? { name: agent, standard: null };
    return { name: this.options.agentName, standard: this.options.standard };
  }

  /** agents: as GET /api/agents answers them. */
  showAgents(agents) {
    this.agents = new Map(agents.map(({ agent, name, default: standard = null }) => [agent, { name, standard }]));
    this.render();
  }

  renderNotice({ connection, problem, wasOpen, stopping }) {
    const isAway = ["waiting", "connecting"].includes(connection);
    const waiting = stopping ? "stopping_later" : wasOpen ? "reconnecting" : "connecting";
    const quiet = isAway ? this.texts.t(waiting) : connection === "login" ? this.texts.t("logged_out") : null;
    const text = problem ? this.texts.error(problem).title : quiet;
    const key = `${isAway}:${text ?? ""}`;
    // A connection that is back within a second is not worth a word.
    if (key === this.noticeKey) return;
    this.noticeKey = key;
    clearTimeout(this.noticeTimer);
    const show = () => this.showNotice(text, connection === "login", Boolean(problem));
    if (isAway && !problem && !stopping && this.notice.hidden) this.noticeTimer = setTimeout(show, 800);
    else show();
  }

  showNotice(text, isLogin, isProblem) {
    this.notice.hidden = !text;
    this.notice.classList.toggle("bad", isLogin || isProblem);
    const login = isLogin ? h("a", { class: "button", href: this.options.loginUrl, text: this.texts.t("log_in") }) : null;
    this.notice.replaceChildren(...[isLogin || isProblem ? icon("alert") : h("span", { class: "spinner", "aria-hidden": "true" }), h("span", { text: text ?? "" }), login].filter(Boolean));
  }

  /** The beginning and the end of an answer are news; its text is announced by blocks. */
  tellEnd(session) {
    const run = session.thread.turns.at(-1)?.run;
    const state = run ? `${run.runId}:${isOpen(run)}` : "";
    if (state === this.runState) return;
    const followed = this.runState?.startsWith(`${run?.runId}:`);
    this.runState = state;
    if (run && isOpen(run)) this.announcer.say(this.texts.t("working"));
    else if (run?.status === "completed" && followed) this.announcer.say(this.texts.t("answer_done"));
    if (run && !isOpen(run) && followed) session.list();
  }

  send(text) {
    if (this.session.busy) return;
    this.thread.toBottom();
    this.session.send(text, this.models.fields());
    this.composer.focus();
  }

  /** The words of a refused send stand in the composer again: sent from here, they leave it. */
  retry(turn, route) {
    if (this.composer.text === turn.user.text) this.composer.text = "";
    this.thread.toBottom();
    this.session.retry(turn, route ? { provider_id: route.providerId, model: route.model } : this.models.fields());
    // The button that had the focus makes room for the new answer.
    this.composer.focus();
  }

  giveBack(words) {
    this.composer.giveBack(words);
  }

  newConversation() {
    this.toggleHistory(false);
    this.session.newConversation();
    this.composer.focus();
  }

  openConversation(id) {
    this.toggleHistory(false);
    if (id !== this.session.thread.conversationId) this.session.show(id);
    this.composer.focus();
  }

  toggleHistory(open = !this.el.hasAttribute("data-history")) {
    if (open === this.el.hasAttribute("data-history")) return;
    this.el.toggleAttribute("data-history", open);
    this.historyButton.setAttribute("aria-expanded", String(open));
    if (!open) {
      this.historyButton.focus();
      return;
    }
    this.session.list();
    this.history.focus();
  }
}
