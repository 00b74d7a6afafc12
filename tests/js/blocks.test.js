import assert from "node:assert/strict";
import { test } from "node:test";

import { hasDefinitions, healTail, openFence, splitBlocks } from "../../static/conversations/blocks.js";

const CASES = [
  ["a paragraph is not finished until something else begins", "one\n\n", [], "one\n\n"],
  ["the next paragraph finishes it", "one\n\ntwo", ["one\n\n"], "two"],
  ["a line break does not", "one\ntwo", [], "one\ntwo"],
  ["a fence with blank lines is one block", "```py\na\n\nb\n", [], "```py\na\n\nb\n"],
  ["a closed fence is finished at once", "```py\na\n\nb\n```\nx", ["```py\na\n\nb\n```\n"], "x"],
  ["a closing fence that may still grow is not one", "```py\na\n```", [], "```py\na\n```"],
  ["a longer fence is not closed by a shorter one", "````\n```\nx\n", [], "````\n```\nx\n"],
  ["inline code at the start of a line opens nothing", "```a``` b\n\nc", ["```a``` b\n\n"], "c"],
  ["a loose list is one block", "- a\n\n- b\n\n- c", [], "- a\n\n- b\n\n- c"],
  ["an indented continuation belongs to the list", "- a\n\n  more\n\n", [], "- a\n\n  more\n\n"],
  ["a paragraph ends the list", "- a\n\ntext", ["- a\n\n"], "text"],
  ["what may become a list item does not end the list yet", "1. a\n\n2", [], "1. a\n\n2"],
  ["a whole line that is no item ends the list", "1. a\n\n2 pears\n", ["1. a\n\n"], "2 pears\n"],
  ["a fence in a list item does not cut the list", "- a\n  ```\n  x\n  ```\n- b", [], "- a\n  ```\n  x\n  ```\n- b"],
  ["a table is one block", "|a|\n|-|\n|1|\n\nx", ["|a|\n|-|\n|1|\n\n"], "x"],
  ["leading blank lines make no block", "\n\none", [], "\n\none"],
  ["nothing is nothing", "", [], ""],
];

for (const [claim, text, blocks, tail] of CASES) {
  test(claim, () => assert.deepEqual(splitBlocks(text), { blocks, tail }));
}

const DOCUMENT = "# T\n\nIntro *x*.\n\n- a\n\n- b\n  - c\n\n```js\nlet a;\n\nlet b;\n```\nAfter\n\n> q\n\n|a|b|\n|-|-|\n|1|2|\n\n1. x\n2. y\n\nEnd";

test("a cut that was made once is never regretted, wherever the stream is cut", () => {
  const whole = splitBlocks(DOCUMENT).blocks;
  for (let end = 0; end <= DOCUMENT.length; end += 1) {
    const { blocks, tail } = splitBlocks(DOCUMENT.slice(0, end));
    assert.equal(blocks.join("") + tail, DOCUMENT.slice(0, end));
    assert.deepEqual(blocks, whole.slice(0, blocks.length));
  }
});

test("an open fence is told with its language, a closed one is not", () => {
  assert.deepEqual(openFence("```python title\nx = 1\n"), { language: "python", code: "x = 1\n" });
  assert.equal(openFence("```python\nx\n```\n"), null);
  assert.equal(openFence("```pyth"), null);
  assert.equal(openFence("text\n```\nx"), null);
});

const TAILS = [
  ["a **bold wo", "a **bold wo**"],
  ["a **", "a "],
  ["use `co", "use `co`"],
  ["use `", "use "],
  ["see [the site](https://exam", "see the site"],
  ["see ![a pic", "see a pic"],
  ["done **b** and `c` [x](y)", "done **b** and `c` [x](y)"],
  ["**a\n\nb", "**a\n\nb"],
];

for (const [text, healed] of TAILS) test(`the tail ${JSON.stringify(text)} reads ${JSON.stringify(healed)}`, () => assert.equal(healTail(text), healed));

test("a link defined elsewhere is noticed", () => {
  assert.equal(hasDefinitions("see [a][1]\n\n[1]: https://x/"), true);
  assert.equal(hasDefinitions("see [a]: no"), false);
});
