import assert from "node:assert/strict";
import { test } from "node:test";

import { isScript, suggestionOf } from "../../static/conversations/suggestions.js";

test("a suggestion is sent as it is shown", () => {
  assert.deepEqual(suggestionOf("What is new?"), { label: "What is new?", text: "What is new?" });
});

test("a suggestion may show other words than it sends", () => {
  assert.deepEqual(suggestionOf('Show a tool | /tool x {"a": " | "}'), { label: "Show a tool", text: '/tool x {"a": " | "}' });
});

test("half of a pair is no pair", () => {
  assert.deepEqual(suggestionOf(" | x"), { label: " | x", text: " | x" });
  assert.deepEqual(suggestionOf("a|b"), { label: "a|b", text: "a|b" });
});

test("what begins with a slash is a script", () => {
  assert.deepEqual(["/tool x {}", "and/or"].map(isScript), [true, false]);
});
