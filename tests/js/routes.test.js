import assert from "node:assert/strict";
import { test } from "node:test";

import { Offers } from "../../static/conversations/offers.js";
import { changeText, routesLeft, withChange } from "../../static/conversations/routes.js";
import { makeTexts } from "../../static/conversations/texts.js";

const WORDS = {
  route_PROVIDER_TIMEOUT: "{model} took too long.", route_CAPABILITY_MISSING: "{model} cannot.", route_other: "{model} did not answer.",
  route_lacks_tools: "{model} cannot use tools.", route_lacks_images: "{model} cannot see.", route_next: "{model} answers.",
  route_next_anew: "{model} starts anew.", route_anew: "It starts anew.", route_without_tools: "No tools.", route_without_images: "No pictures.",
  model_of: "{model} ({provider})",
};
const texts = makeTexts(WORDS, "en");
const model = (provider, id, more = {}) => ({ provider_id: provider, model: id, name: id.toUpperCase(), available: true, capabilities: ["tool_calling", "vision"], ...more });
const OFFERS = new Offers(texts, [model("far", "a"), model("near", "b", { capabilities: ["vision"] }), model("blind", "c", { capabilities: [] })]);
const A = { provider_id: "far", model: "a" };
const B = { provider_id: "near", model: "b" };
const C = { provider_id: "blind", model: "c" };
const route = ({ provider_id: providerId, model: id }) => ({ providerId, model: id });

const told = (changes, offers) => changeText(changes.reduce((parts, change) => withChange(parts, change, "k"), [])[0], texts, offers);
const change = (more) => ({ from: A, to: B, reason: "PROVIDER_TIMEOUT", ...more });
const said = (more, offers = OFFERS) => told([change(more)], offers);

for (const [name, more, words] of [
  ["another one goes on", {}, "A took too long. B answers."],
  ["another one starts anew", { discard: "m" }, "A took too long. B starts anew."],
  ["the same one starts anew", { to: A, discard: "m" }, "A took too long. It starts anew."],
  ["the same one answers with less", { to: A, reason: "CAPABILITY_MISSING", omitted: ["images", "tools"] }, "No pictures. No tools."],
  ["another one answers with less", { omitted: ["tools"] }, "A took too long. B answers. No tools."],
  ["one is passed over for what it cannot do", { from: B, to: A, reason: "CAPABILITY_MISSING" }, "B cannot use tools. A answers."],
  ["one is passed over for all that it cannot do", { from: C, to: A, reason: "CAPABILITY_MISSING" }, "C cannot use tools. C cannot see. A answers."],
  ["what it cannot do is not known", { reason: "CAPABILITY_MISSING" }, "A cannot. B answers."],
  ["a reason has no words of its own", { reason: "OF_TOMORROW" }, "A did not answer. B answers."],
]) {
  test(`a change of route is told in words when ${name}`, () => assert.equal(said(more), words));
}

test("who was asked in between is told among what failed", () => {
  const words = told([change(), change({ from: B, to: C, reason: "X", omitted: ["tools"] })], OFFERS);
  assert.equal(words, "A took too long. B did not answer. C answers. No tools.");
});

test("models of one name are told apart, and one that is not offered is called by its id", () => {
  assert.equal(said({}, new Offers(texts, [model("far", "a", { name: "M" }), model("near", "b", { name: "M" })])), "M (far) took too long. M (near) answers.");
  assert.equal(said({}, new Offers(texts, [])), "far/a took too long. near/b answers.");
});

test("Chinese sentences stand together", () => {
  assert.equal(texts.sentences(["一。", "", "二。", "Three. Four"]), "一。二。Three. Four");
});

test("the routes that are left come after the newest that was asked", () => {
  const left = (newest) => routesLeft({ routes: [A, B, C].map(route), route: newest }).map((each) => each.model);
  assert.deepEqual([left(route(A)), left(route(B)), left(route(C)), left(null)], [["b", "c"], ["c"], [], ["a", "b", "c"]]);
});

test("the next route is the first that can be asked; without a list, the first", () => {
  const listed = new Offers(texts, [model("far", "a"), model("near", "b", { available: false })]);
  assert.deepEqual(listed.first([B, C, A].map(route)), route(A));
  assert.equal(listed.first([B, C].map(route)), null);
  assert.deepEqual(new Offers(texts).first([route(B)]), route(B));
});

test("another model is one that can be asked and did not fail", () => {
  const listed = new Offers(texts, [model("far", "a", { available: false }), model("near", "b"), model("blind", "c")]);
  assert.deepEqual([listed.other(route(B)), listed.other(null)], [route(C), route(B)]);
});
