/**
 * <steward-drawer>: the chat of an agent on any page. `{% steward_drawer %}` writes it with its data attributes.
 *
 * On a wide window the drawer stands beside the page, which stays usable; on a narrow one it is a modal dialog.
 * data-mode="page" fills its place instead and is always open.
 */

import { makeApi } from "./api.js";
import { h, icon } from "./dom.js";
import { closes } from "./keys.js";
import { makeMemory } from "./memory.js";
import { Panel } from "./panel.js";
import { Session } from "./session.js";
import { makeTexts } from "./texts.js";

// Also a phone on its side: there the drawer needs all of the height.
const NARROW = "(max-width: 40rem), (max-height: 30rem)";

function socketUrl(path) {
  const url = new URL(path, location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  return url.href;
}

class StewardDrawer extends HTMLElement {
  connectedCallback() {
    if (this.panel) {
      this.session.socket.connect();
      return;
    }
    const { data } = this;
    this.isPage = data.mode === "page";
    this.texts = makeTexts(JSON.parse(data.texts), document.documentElement.lang || undefined);
    this.memory = makeMemory(data.user);
    this.api = makeApi(data.api, { csrf: data.csrf });
    this.panel = new Panel(this.texts, this.memory, {
      agentName: data.agentName,
      description: data.agentDescription,
      suggestions: JSON.parse(data.suggestions || "[]"),
      userName: data.userName,
      standard: JSON.parse(data.model || "null"),
      offline: JSON.parse(data.offline || "[]"),
      help: { text: data.modelHelp, url: data.modelHelpUrl },
      maxChars: Number(data.maxChars) || Infinity,
      pageUrl: this.isPage ? null : data.page,
      loginUrl: data.login,
      onClose: this.isPage ? null : () => this.close(),
    });
    this.session = new Session({
      api: this.api, memory: this.memory, socketUrl: socketUrl(data.socket), agent: data.agent, onChange: () => this.schedule(),
      onRefused: (words) => this.panel.giveBack(words), isModelGone: (frame) => this.isModelGone(frame),
      onInvalidated: (names) => this.dispatchEvent(new CustomEvent("steward:invalidated", { bubbles: true, detail: { names } })),
    });
    this.build();
    this.panel.bind(this.session);
    this.listen();
    this.begin();
  }

  disconnectedCallback() {
    this.session?.socket.close();
  }

  get data() {
    return this.dataset;
  }

  build() {
    const sheet = h("link", { rel: "stylesheet", href: this.data.stylesheet });
    const label = this.texts.t("launch", { agent: this.data.agentName });
    this.launcher = h("button", { type: "button", class: "launcher", "aria-haspopup": "dialog", "aria-expanded": "false", on: { click: () => this.open() } }, icon("spark"), h("span", { text: label }));
    this.dialog = this.isPage
      ? h("section", { class: "page", "aria-labelledby": "title" }, this.panel.el)
      : h("dialog", { class: "drawer", "aria-labelledby": "title", tabindex: "-1" }, this.panel.el);
    const root = this.attachShadow({ mode: "open" });
    // Until its sheet is here nothing of it is shown, so that nothing jumps.
    const stage = h("div", { class: "stage", hidden: true }, this.isPage ? null : this.launcher, this.dialog);
    const reveal = () => { stage.hidden = false; this.ready(); };
    sheet.addEventListener("load", reveal);
    sheet.addEventListener("error", reveal);
    root.append(sheet, stage);
  }

  listen() {
    this.narrow = matchMedia(NARROW);
    this.narrow.addEventListener("change", () => this.dialog.open && !this.isPage && this.present());
    this.dialog.addEventListener("cancel", (event) => { event.preventDefault(); this.close(); });
    this.dialog.addEventListener("keydown", (event) => {
      if (this.isPage || !closes(event)) return;
      event.preventDefault();
      this.close();
    });
    globalThis.addEventListener("online", () => this.session.socket.wake());
    document.addEventListener("visibilitychange", () => document.hidden || this.session.socket.wake());
  }

  async begin() {
    this.session.start();
    this.session.list();
    this.nameAgents();
    try {
      this.panel.showModels((await this.api.models()).results);
    } catch {
      this.panel.showModels([]);
    }
  }

  async nameAgents() {
    try {
      this.panel.showAgents((await this.api.agents()).results);
    } catch {
      // Without the names, that of the page's own agent stands for all.
    }
  }

  /** What is offered may have changed since the page was loaded. */
  async isModelGone(frame) {
    try {
      this.panel.showModels((await this.api.models()).results);
    } catch {
      return false;
    }
    return this.panel.lacksModel(frame);
  }

  ready() {
    if (this.isPage || this.memory.isOpen()) this.open({ focus: this.isPage && !this.narrow.matches });
    this.panel.composer.grow();
    this.setAttribute("data-ready", "");
  }

  /** Draw at most once a frame, however many events came. */
  schedule() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = null;
      this.panel.render();
    });
  }

  open({ focus = true } = {}) {
    if (!this.isPage) this.present();
    this.panel.thread.toBottom();
    this.panel.composer.grow();
    if (focus) this.panel.composer.focus();
  }

  present() {
    const focused = this.shadowRoot.activeElement;
    if (this.dialog.open) this.dialog.close();
    if (this.narrow.matches) {
      this.dialog.showModal();
      this.dialog.focus(); // else its first button would have it
    } else {
      this.dialog.open = true; // not show(), which takes the focus from a page that was just loaded
    }
    focused?.focus();
    document.documentElement.style.overflow = this.narrow.matches ? "hidden" : "";
    this.launcher.setAttribute("aria-expanded", "true");
    this.toggleAttribute("data-open", true);
    this.memory.setOpen(true);
  }

  close() {
    if (!this.dialog.open) return;
    this.dialog.close();
    document.documentElement.style.overflow = "";
    this.launcher.setAttribute("aria-expanded", "false");
    this.toggleAttribute("data-open", false);
    this.memory.setOpen(false);
    this.launcher.focus();
  }
}

customElements.define("steward-drawer", StewardDrawer);
