/**
 * Where streamed Markdown can be cut: `splitBlocks(text)` gives the blocks that no later text can change,
 * and the tail that is not finished. Pure, no DOM. The text must begin at the top level.
 */

const FENCE = /^\s*(`{3,}|~{3,})(.*)$/;
const LIST_ITEM = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:\s|$)/;
const MAYBE_LIST_ITEM = /^ {0,3}[-*+\d]/;

/** {char, size} of the fence that this line opens, or null. */
export function fenceOpening(line) {
  const match = FENCE.exec(line);
  if (!match || (match[1][0] === "`" && match[2].includes("`"))) return null;
  return { char: match[1][0], size: match[1].length };
}

function fenceCloses(fence, line) {
  const match = FENCE.exec(line);
  return Boolean(match) && match[1][0] === fence.char && match[1].length >= fence.size && match[2].trim() === "";
}

function* linesOf(text) {
  let start = 0;
  while (start < text.length) {
    const end = text.indexOf("\n", start);
    const stop = end < 0 ? text.length : end;
    yield { line: text.slice(start, stop), start, next: end < 0 ? text.length : end + 1, whole: end >= 0 };
    start = end < 0 ? text.length : end + 1;
  }
}

/** Whether this line, the first after a blank one, begins a new block for sure. */
function begins(line, whole, inList) {
  if (/^\s/.test(line)) return false;
  if (!inList) return true;
  return whole ? !LIST_ITEM.test(line) : !MAYBE_LIST_ITEM.test(line);
}

export function splitBlocks(text) {
  const blocks = [];
  let from = 0;
  let fence = null;
  let blank = false;
  let inList = false;
  let empty = true;
  const cut = (at) => {
    blocks.push(text.slice(from, at));
    from = at;
    empty = true;
    inList = false;
  };
  for (const { line, start, next, whole } of linesOf(text)) {
    if (fence) {
      if (whole && fenceCloses(fence, line)) {
        fence = null;
        if (!inList) cut(next);
      }
      continue;
    }
    if (line.trim() === "") {
      blank = true;
      continue;
    }
    if (blank && !empty && begins(line, whole, inList)) cut(start);
    blank = false;
    if (empty) inList = LIST_ITEM.test(line);
    empty = false;
    fence = fenceOpening(line);
  }
  return { blocks, tail: text.slice(from) };
}

/** {language, code} when the text is one fenced block that has not closed, else null. */
export function openFence(text) {
  const end = text.indexOf("\n");
  if (end < 0) return null;
  const fence = /^\S/.test(text) ? fenceOpening(text.slice(0, end)) : null;
  if (!fence) return null;
  const code = text.slice(end + 1);
  if (code.split("\n").some((line) => fenceCloses(fence, line))) return null;
  return { language: text.slice(0, end).replace(/^[`~]+/, "").trim().split(/\s+/)[0], code };
}

/** The tail as it will probably read once it is finished: open emphasis and code closed, a half link as its text. */
export function healTail(text) {
  const at = text.lastIndexOf("\n\n") + 1;
  const head = text.slice(0, at);
  let tail = text.slice(at);
  if (/^\s*(`{3,}|~{3,})/m.test(tail)) return text;
  if (count(tail, /`/g) % 2) return head + (tail.endsWith("`") ? tail.slice(0, -1) : `${tail}\``);
  tail = tail.replace(/!?\[([^\]\n]*)(?:\]\([^)\n]*)?$/, "$1");
  if (count(tail, /\*\*/g) % 2) tail = tail.endsWith("**") ? tail.slice(0, -2) : `${tail.trimEnd()}**`;
  return head + tail;
}

const count = (text, pattern) => (text.match(pattern) ?? []).length;

/** A link may be defined anywhere: such a text is rendered whole once it is complete. */
export const hasDefinitions = (text) => /^ {0,3}\[[^\]\n]+\]:\s*\S/m.test(text);
