import assert from "node:assert/strict";
import { test } from "node:test";

import { isOpen, newRun, reduce } from "../../static/conversations/reducer.js";
import { events } from "./fakes.js";

const play = (list, run = newRun("r")) => list.reduce(reduce, run);
const texts = (run) => run.parts.filter((part) => part.type === "text").map((part) => part.text);

const PLAIN = events("r",
  ["RunStarted", { input: "hi" }],
  ["StepStarted", { step: 0, provider_id: "mock", model: "mock-1" }],
  ["TextDelta", { message_id: "m", text: "Hel" }],
  ["TextDelta", { message_id: "m", text: "lo" }],
  ["MessageCompleted", { message_id: "m", text: "Hello" }],
  ["RunCompleted", { output: "Hello", finish_reason: "stop", usage: { input_tokens: 2 }, cost: "0.1", currency: "EUR", model: "mock-1", provider_id: "mock" }]);

test("deltas of a message join, and the end carries usage, cost and route", () => {
  const run = play(PLAIN);
  assert.deepEqual(texts(run), ["Hello"]);
  assert.equal(run.status, "completed");
  assert.equal(isOpen(run), false);
  assert.deepEqual([run.input, run.cost, run.currency, run.usage.input_tokens], ["hi", "0.1", "EUR", 2]);
  assert.deepEqual(run.route, { providerId: "mock", model: "mock-1" });
});

test("an event that was seen changes nothing, not even the object", () => {
  const run = play(PLAIN.slice(0, 4));
  assert.equal(reduce(run, PLAIN[2]), run);
  assert.deepEqual(texts(play([...PLAIN.slice(0, 4), ...PLAIN])), ["Hello"]);
});

test("an event of another run is not for this one", () => {
  const run = newRun("r");
  assert.equal(reduce(run, { ...PLAIN[0], run_id: "other" }), run);
});

test("a hole is noticed, applies nothing, and closes when the missing events come", () => {
  const holed = reduce(play(PLAIN.slice(0, 3)), PLAIN[4]);
  assert.equal(holed.gap, true);
  assert.equal(holed.last, 2);
  assert.deepEqual(texts(holed), ["Hel"]);
  const filled = play(PLAIN.slice(3), holed);
  assert.equal(filled.gap, false);
  assert.deepEqual(texts(filled), ["Hello"]);
});

test("MessageCompleted is authoritative over the deltas, and makes a message that had none", () => {
  const run = play(events("r",
    ["TextDelta", { message_id: "m", text: "secret 123" }],
    ["MessageCompleted", { message_id: "m", text: "secret ***" }],
    ["MessageCompleted", { message_id: "n", text: "Whole" }],
    ["MessageCompleted", { message_id: "o", text: "" }]));
  assert.deepEqual(texts(run), ["secret ***", "Whole"]);
});

test("RunResumed voids the messages that come again, and says so", () => {
  const run = play(events("r",
    ["TextDelta", { message_id: "kept", text: "one" }],
    ["MessageCompleted", { message_id: "kept", text: "one" }],
    ["ReasoningDelta", { message_id: "void", text: "hm" }],
    ["TextDelta", { message_id: "void", text: "tw" }],
    ["RunResumed", { step: 1, discard: ["void"] }],
    ["TextDelta", { message_id: "void", text: "two" }]));
  assert.deepEqual(texts(run), ["one", "two"]);
  assert.deepEqual(run.parts.map((part) => part.type), ["text", "notice", "text"]);
});

const A = { provider_id: "far", model: "a" };
const B = { provider_id: "near", model: "b" };
const change = (more = {}) => ["RouteChanged", { from: A, to: B, reason: "PROVIDER_TIMEOUT", discard: null, omitted: [], ...more }];

test("RouteChanged discards one message or none, and the run follows it", () => {
  const half = ["TextDelta", { message_id: "m", text: "half" }];
  const anew = play(events("r", half, change({ discard: "m" })));
  assert.deepEqual([texts(anew), anew.parts[0].isAnew, anew.route], [[], true, { providerId: "near", model: "b" }]);
  const on = play(events("r", half, change()));
  assert.deepEqual([texts(on), on.parts[1].isAnew, on.parts[1].causes[0].reason], [["half"], false, "PROVIDER_TIMEOUT"]);
});

test("that a route answers with less is told once, and again by the next one", () => {
  const less = change({ to: A, reason: "CAPABILITY_MISSING", omitted: ["tools"] });
  const other = change({ omitted: ["tools"] });
  const tool = ["ToolCallStarted", { call_id: "c", name: "t" }];
  const kinds = (...list) => play(events("r", ...list)).parts.map((part) => part.notice ?? part.type);
  assert.deepEqual(kinds(less, tool, less), ["route", "tool"]);
  assert.deepEqual(kinds(less, tool, other, change({ from: B, omitted: ["tools"] })), ["route", "tool", "route"]);
});

test("changes in a row are one notice, with all that failed and the one that answers", () => {
  const run = play(events("r", change(), change({ from: B, to: A, discard: "m", omitted: ["tools"] }), ["TextDelta", { message_id: "n", text: "x" }], change()));
  const [first, , second] = run.parts;
  assert.deepEqual([first.causes.map(({ route }) => route.model), first.to.model, first.isAnew, first.omitted], [["a", "b"], "a", true, ["tools"]]);
  assert.deepEqual([first.key, second.key, second.causes.length], ["notice:0", "notice:3", 1]);
});

test("RunStarted tells the routes, in order", () => {
  const run = play(events("r", ["RunStarted", { input: "hi", config: { routes: [A, B] } }]));
  assert.deepEqual(run.routes, [{ providerId: "far", model: "a" }, { providerId: "near", model: "b" }]);
});

test("a tool call goes from running to its result", () => {
  const list = events("r",
    ["ReasoningDelta", { message_id: "m", text: "I look" }],
    ["ToolCallStarted", { call_id: "c", name: "math.add", arguments: { left: 1 }, summary: "1 + 2" }],
    ["ToolCallCompleted", { call_id: "c", name: "math.add", status: "failed", error: { code: "TOOL_FAILED", message: "no" }, duration_ms: 12 }]);
  const [, running] = play(list.slice(0, 2)).parts;
  assert.equal(running.status, "running");
  const [thinking, tool] = play(list).parts;
  assert.equal(thinking.done, true);
  assert.deepEqual([tool.status, tool.summary, tool.error.code, tool.durationMs, tool.arguments.left], ["failed", "1 + 2", "TOOL_FAILED", 12, 1]);
});

test("a call that waits for a person waits, and a denial shows at once", () => {
  const list = events("r",
    ["ToolCallStarted", { call_id: "c", name: "create_booking", arguments: {} }],
    ["PermissionRequired", { call_id: "c", request_id: "q", tool: "create_booking", arguments: { flight_no: "MT1" } }],
    ["PermissionResolved", { call_id: "c", request_id: "q", decision: "deny" }]);
  const waiting = play(list.slice(0, 2));
  assert.deepEqual([waiting.status, waiting.parts[0].status, waiting.parts[0].request.requestId], ["waiting_permission", "waiting", "q"]);
  assert.equal(isOpen(waiting), true);
  assert.equal(play(list).parts[0].status, "denied");
});

for (const [type, status] of [["RunFailed", "failed"], ["RunCancelled", "cancelled"]]) {
  test(`${type} keeps the partial text, and settles what is open`, () => {
    const run = play(events("r",
      ["TextDelta", { message_id: "m", text: "par" }],
      ["ToolCallStarted", { call_id: "c", name: "t" }],
      [type, { error: { code: "RUN_TIMEOUT", message: "" }, reason: "user", output: "par" }]));
    assert.equal(run.status, status);
    assert.deepEqual(texts(run), ["par"]);
    assert.deepEqual(run.parts.map((part) => part.done ?? part.status), [true, "unknown"]);
  });
}

test("an answer that came without a message of its own is shown", () => {
  assert.deepEqual(texts(play(events("r", ["RunStarted", {}], ["RunCompleted", { output: "No.", finish_reason: "guardrail" }]))), ["No."]);
});

test("usage of steps adds up, and a guess stays a guess", () => {
  const run = play(events("r",
    ["UsageReported", { usage: { input_tokens: 5, output_tokens: 1, estimated: true } }],
    ["UsageReported", { usage: { input_tokens: 7, output_tokens: 2, estimated: false } }]));
  assert.deepEqual(run.usage, { input_tokens: 12, output_tokens: 3, estimated: true });
});

test("an unknown event counts and does nothing else", () => {
  const run = play(events("r", ["SomethingNew", { a: 1 }]));
  assert.deepEqual([run.last, run.parts], [0, []]);
});

test("citations are unique by number, and guardrails become notices", () => {
  const run = play(events("r", ["Citation", { number: 1, title: "a" }], ["Citation", { number: 1, title: "b" }], ["GuardrailBlocked", { stage: "output", message: "no" }]));
  assert.deepEqual(run.citations, [{ number: 1, title: "b" }]);
  assert.equal(run.parts[0].notice, "guardrail");
});

for (const [status, told, shown] of [["done", 0, 0], ["done", 7, 7], ["failed", 0, 0], ["cancelled", 0, null], ["cancelled", 7, 7], ["unknown", 0, null], ["denied", undefined, null]]) {
  test(`a call that was ${status} after ${told} ms shows ${shown}`, () => {
    const run = play(events("r", ["RunStarted"], ["ToolCallStarted", { call_id: "k", name: "x" }], ["ToolCallCompleted", { call_id: "k", status, duration_ms: told }]));
    assert.equal(run.parts[0].durationMs, shown);
  });
}
