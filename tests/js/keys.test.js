import assert from "node:assert/strict";
import { test } from "node:test";

import { closes, sends } from "../../static/conversations/keys.js";

const enter = (more = {}) => ({ key: "Enter", keyCode: 13, isComposing: false, ...more });

test("Enter sends", () => assert.equal(sends(enter()), true));

for (const modifier of ["shiftKey", "ctrlKey", "altKey", "metaKey"]) {
  test(`Enter with ${modifier} does not send`, () => assert.equal(sends(enter({ [modifier]: true })), false));
}

test("Enter while an input method composes never sends", () => {
  assert.equal(sends(enter({ isComposing: true })), false);
  assert.equal(sends(enter(), true), false);
  assert.equal(sends(enter({ keyCode: 229 })), false);
});

test("other keys do not send", () => assert.equal(sends({ key: "a" }), false));

test("Escape closes, unless an input method or a menu wants it", () => {
  assert.equal(closes({ key: "Escape" }), true);
  assert.equal(closes({ key: "Escape", isComposing: true }), false);
  assert.equal(closes({ key: "Escape", defaultPrevented: true }), false);
});
