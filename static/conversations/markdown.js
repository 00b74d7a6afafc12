/**
 * Model text as a sanitised tree, rendered while it arrives: finished blocks once, only the tail again.
 *
 * Nothing of another host loads by itself: pictures become links that name their host, links say where they go.
 */

import { Marked } from "../vendor/marked/marked.esm.mjs";
import DOMPurify from "../vendor/dompurify/purify.es.mjs";
import { hasDefinitions, healTail, openFence, splitBlocks } from "./blocks.js";
import { copyButton, h, icon } from "./dom.js";

const PURIFY = {
  RETURN_DOM_FRAGMENT: true,
  ALLOWED_TAGS: [
    "p", "br", "strong", "em", "del", "code", "pre", "blockquote", "ul", "ol", "li", "h3", "h4", "h5", "h6",
    "hr", "a", "table", "thead", "tbody", "tr", "th", "td", "sub", "sup", "kbd",
  ],
  ALLOWED_ATTR: ["href", "title", "align", "start", "class"],
  ADD_URI_SAFE_ATTR: ["align", "start"], // else their values would have to look like addresses
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|\/(?!\/)|#)/i,
};

const HARMLESS = /^<(?:br\s*\/?|\/?(?:sub|sup|kbd))>$/i;
const escape = (text) => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);

const marked = new Marked({
  gfm: true,
  breaks: true,
  renderer: {
    // HTML in a model's text is text; the few tags that it may mean are let through.
    html: ({ text }) => (HARMLESS.test(text.trim()) ? text : escape(text)),
    image: ({ href, text }) => `<a class="image" href="${escape(href)}">${escape(text || "")}</a>`,
    // The page has its own headings: those of an answer stand under them.
    heading({ tokens, depth }) {
      const level = Math.min(depth + 2, 6);
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>\n`;
    },
    checkbox: ({ checked }) => (checked ? "☑ " : "☐ "),
  },
});

/** A fragment that is safe to insert. */
export function renderMarkdown(text, texts) {
  const fragment = DOMPurify.sanitize(marked.parse(text), PURIFY);
  for (const link of fragment.querySelectorAll("a")) decorateLink(link, texts);
  for (const pre of fragment.querySelectorAll("pre")) decorateCode(pre, texts);
  for (const table of fragment.querySelectorAll("table")) {
    const box = h("div", { class: "table-box", tabindex: "0", role: "group", "aria-label": texts.t("table") });
    table.replaceWith(box);
    box.append(table);
  }
  return fragment;
}

function hostOf(href) {
  try {
    return new URL(href, location.href).host;
  } catch {
    return "";
  }
}

/** Whether the words already say the host, so that it need not stand there twice. */
function namesHost(words, host) {
  const bare = words.trim().replace(/^(?:https?:\/\/|mailto:)/i, "");
  return bare === host || bare.startsWith(`${host}/`) || bare.startsWith(`${host}?`);
}

function decorateLink(link, texts) {
  const href = link.getAttribute("href");
  const isImage = link.className === "image";
  link.removeAttribute("class");
  if (!href) {
    link.replaceWith(...(isImage ? [texts.t("image_removed", { name: link.textContent })] : link.childNodes));
    return;
  }
  const host = hostOf(href);
  link.setAttribute("rel", "noopener noreferrer nofollow");
  link.setAttribute("target", "_blank");
  link.setAttribute("title", href);
  if (isImage) {
    link.className = "remote-image";
    link.replaceChildren(icon("image"), h("span", { text: link.textContent || texts.t("image") }), h("span", { class: "link-host", text: host }));
  } else if (host && host !== location.host && !namesHost(link.textContent, host)) {
    link.append(h("span", { class: "link-host", text: ` (${host})` }));
  }
}

function decorateCode(pre, texts) {
  const code = pre.querySelector("code") ?? pre;
  const language = /language-([\w+#.-]+)/.exec(code.className)?.[1] ?? "";
  code.removeAttribute("class");
  const figure = codeFigure(language, texts, () => code.textContent);
  pre.replaceWith(figure);
  pre.tabIndex = 0;
  figure.append(pre);
}

function codeFigure(language, texts, read) {
  const bar = h("figcaption", {}, h("span", { text: language || texts.t("code") }), copyButton(texts, read, { label: texts.t("copy_code") }));
  return h("figure", { class: "code" }, bar);
}

/** One message, growing. `onBlock(text)` is told of each block once, when it is finished. */
export class MarkdownView {
  constructor(texts, onBlock = () => {}) {
    Object.assign(this, { texts, onBlock, text: "", committed: 0, tail: [], done: false, fence: null });
    this.el = h("div", { class: "markdown" });
  }

  update(text, done) {
    if (text === this.text && done === this.done) return;
    if (!text.startsWith(this.text.slice(0, this.committed))) this.reset();
    Object.assign(this, { text, done });
    const { blocks, tail } = splitBlocks(text.slice(this.committed));
    if (blocks.length) this.clearTail();
    for (const block of blocks) this.commit(block);
    if (!done) this.showTail(tail);
    else if (hasDefinitions(text)) this.renderWhole(tail);
    else this.commit(tail);
  }

  commit(block) {
    this.clearTail();
    this.committed += block.length;
    if (!block.trim()) return;
    const fragment = renderMarkdown(block, this.texts);
    const words = fragment.textContent;
    this.el.append(fragment);
    this.onBlock(words);
  }

  renderWhole(tail) {
    this.onBlock(tail);
    this.committed = this.text.length;
    this.tail = [];
    this.el.replaceChildren(renderMarkdown(this.text, this.texts));
  }

  /** Code that is still being written grows in place: a long block costs no new tree for each delta. */
  showTail(tail) {
    const open = openFence(tail);
    if (open && this.fence?.language === open.language) {
      this.fence.code.textContent = open.code;
      return;
    }
    this.clearTail();
    if (open) this.startFence(open);
    else if (tail.trim()) {
      const fragment = renderMarkdown(healTail(tail), this.texts);
      this.tail = [...fragment.childNodes];
      this.el.append(fragment);
    }
  }

  startFence(open) {
    const code = h("code", { text: open.code });
    const figure = codeFigure(open.language, this.texts, () => code.textContent);
    figure.append(h("pre", { tabindex: "0" }, code));
    this.fence = { language: open.language, code };
    this.tail = [figure];
    this.el.append(figure);
  }

  clearTail() {
    for (const node of this.tail) node.remove();
    Object.assign(this, { tail: [], fence: null });
  }

  reset() {
    this.clearTail();
    this.el.replaceChildren();
    this.committed = 0;
  }
}
