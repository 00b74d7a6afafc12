/** A suggestion is what is sent, or "what is shown | what is sent". Pure. */

const BETWEEN = " | ";

/** Whether only a model that follows a script understands it. */
export const isScript = (text) => text.startsWith("/");

/** {label, text} of one line of an agent's suggestions. */
export function suggestionOf(line) {
  const at = line.indexOf(BETWEEN);
  const label = at < 0 ? "" : line.slice(0, at).trim();
  const text = at < 0 ? "" : line.slice(at + BETWEEN.length).trim();
  return label && text ? { label, text } : { label: line, text: line };
}
