import assert from "node:assert/strict";
import { test } from "node:test";

import * as threads from "../../static/conversations/thread.js";
import { events } from "./fakes.js";

const sent = () => threads.withSend(threads.newThread(), { sendId: "s", text: "hi", at: "2026-01-01T00:00:00Z" });
const accept = (thread) => threads.withAccepted(thread, { sendId: "s", runId: "r", conversationId: "c" });
const message = (role, contents, more = {}) => ({ message_id: `${role}1`, role, text: "", contents, run_id: "r", created_at: "2026-01-01T00:00:00Z", ...more });

test("a send is busy until its run ended", () => {
  const waiting = sent();
  assert.equal(threads.isBusy(waiting), true);
  const running = accept(waiting);
  assert.deepEqual([running.conversationId, threads.openRun(running).runId], ["c", "r"]);
  const done = events("r", ["RunStarted"], ["RunCompleted", { output: "" }]).reduce(threads.withEvent, running);
  assert.equal(threads.isBusy(done), false);
  assert.equal(threads.openRun(done), null);
});

test("the same send again is one turn, not two", () => {
  const again = threads.withSend(sent(), { sendId: "s", text: "hi", at: "2026-01-01T00:00:00Z" });
  assert.equal(again.turns.length, 1);
});

test("a run that was announced before the send was accepted is the same turn", () => {
  const early = threads.withEvent(threads.withRun(sent(), "r"), events("r", ["RunStarted", { input: "hi" }])[0]);
  const merged = accept(early);
  assert.equal(merged.turns.length, 1);
  assert.deepEqual([merged.turns[0].user.state, merged.turns[0].run.last], ["sent", 0]);
});

test("a run of another tab shows what was asked", () => {
  const thread = threads.withEvent(threads.withRun(threads.newThread("c"), "r"), events("r", ["RunStarted", { input: "from there" }])[0]);
  assert.equal(thread.turns[0].user.text, "from there");
  assert.equal(threads.withRun(thread, "r"), thread);
});

test("a refusal marks the message and lets the person write on", () => {
  const thread = threads.withRefusal(sent(), "s", { code: "TOO_MANY_RUNS", message: "" });
  assert.deepEqual([thread.turns[0].user.state, thread.turns[0].error.code, threads.isBusy(thread)], ["failed", "TOO_MANY_RUNS", false]);
});

test("a lost run ends", () => {
  const thread = threads.withLostRun(accept(sent()), "r", { code: "NOT_FOUND", message: "" });
  assert.equal(threads.isBusy(thread), false);
});

test("stored messages become turns with their tool calls answered", () => {
  const thread = threads.fromMessages(threads.newThread("c"), { conversationId: "c", title: "T", openRunId: null, messages: [
    message("user", [{ type: "text", text: "add" }], { text: "add" }),
    message("assistant", [{ type: "reasoning", text: "hm" }, { type: "function_call", call_id: "x", name: "math.add", arguments: { left: 1 } }]),
    message("tool", [{ type: "function_result", call_id: "x", name: "math.add", result: 3, status: "done", error: null }]),
    message("assistant", [{ type: "text", text: "3" }], { message_id: "a2" }),
  ] });
  assert.equal(thread.turns.length, 1);
  const [turn] = thread.turns;
  assert.equal(turn.user.text, "add");
  assert.deepEqual(turn.run.parts.map((part) => [part.type, part.text ?? part.status, part.result]), [["reasoning", "hm", undefined], ["tool", "done", 3], ["text", "3", undefined]]);
});

test("an open run comes whole from its events, not from what is stored of it", () => {
  const thread = threads.fromMessages(threads.newThread("c"), { conversationId: "c", title: "", openRunId: "r", messages: [
    message("user", [{ type: "text", text: "go" }], { text: "go" }), message("assistant", [{ type: "text", text: "half" }]),
  ] });
  assert.deepEqual([thread.turns[0].run.last, thread.turns[0].run.parts, threads.openRun(thread).runId], [-1, [], "r"]);
});

test("an open run without any stored message is a turn all the same", () => {
  const thread = threads.fromMessages(threads.newThread("c"), { conversationId: "c", title: "", openRunId: "r", messages: [] });
  assert.equal(threads.openRun(thread).runId, "r");
});

test("reading again keeps runs that were followed and sends without an answer", () => {
  const live = events("r", ["RunStarted", { input: "hi" }], ["TextDelta", { message_id: "m", text: "now" }]).reduce(threads.withEvent, accept(sent()));
  const pending = threads.withSend(live, { sendId: "later", text: "next", at: "2026-01-01T00:00:00Z" });
  const again = threads.fromMessages(pending, { conversationId: "c", title: "", openRunId: "r", messages: [
    message("user", [{ type: "text", text: "old" }], { text: "old", run_id: "before", message_id: "u0" }),
    message("user", [{ type: "text", text: "hi" }], { text: "hi" }),
  ] });
  assert.deepEqual(again.turns.map((turn) => turn.user.text), ["old", "hi", "next"]);
  assert.equal(again.turns[1].run.parts[0].text, "now");
});

test("stored runs tell how they ended, who answered and what it cost", () => {
  const usage = { input_tokens: 12, output_tokens: 3 };
  const line = { status: "completed", finish_reason: "stop", cancel_reason: null, provider_id: "p", model: "m", usage, cost: "0.1", currency: "USD", error: null, finished_at: "2026-01-01T00:00:05Z" };
  const thread = threads.fromMessages(threads.newThread("c"), { conversationId: "c", title: "", openRunId: null, runs: { r: line, gone: line }, messages: [
    message("user", [{ type: "text", text: "hi" }], { text: "hi" }), message("assistant", [{ type: "text", text: "hello" }]),
  ] });
  const { run } = thread.turns[0];
  assert.deepEqual([run.status, run.usage, run.cost, run.route, run.endedAt], ["completed", usage, "0.1", { providerId: "p", model: "m" }, "2026-01-01T00:00:05Z"]);
});

test("a stored run that failed or was stopped says so, also without an answer", () => {
  const ended = (line) => threads.fromMessages(threads.newThread("c"), { conversationId: "c", title: "", openRunId: null, runs: { r: { finish_reason: null, cancel_reason: null, error: null, ...line } }, messages: [
    message("user", [{ type: "text", text: "hi" }], { text: "hi" }),
  ] }).turns[0].run;
  assert.equal(ended({ status: "failed", error: { code: "RUN_TIMEOUT", message: "" } }).error.code, "RUN_TIMEOUT");
  assert.deepEqual([ended({ status: "cancelled", cancel_reason: "user" })].map((run) => [run.status, run.reason]), [["cancelled", "user"]]);
});

test("a run that is going on is never taken from its stored line", () => {
  const thread = threads.fromMessages(threads.newThread("c"), { conversationId: "c", title: "", openRunId: "r", runs: { r: { status: "running" } }, messages: [
    message("user", [{ type: "text", text: "go" }], { text: "go" }),
  ] });
  assert.deepEqual([thread.turns[0].run.status, thread.turns[0].run.usage], ["queued", null]);
});

test("a stored call shows what its live card did", () => {
  const called = { type: "function_call", call_id: "k", name: "orders", arguments: {} };
  const returned = { type: "function_result", call_id: "k", result: [1], status: "done" };
  const line = { status: "completed", tool_calls: [{ call_id: "k", summary: "Orders", duration_ms: 12, for_ui: "One" }] };
  const stored = { conversationId: "c", title: "", openRunId: null, runs: { r: line },
    messages: [message("user", []), message("assistant", [called]), message("tool", [returned])] };
  const [part] = threads.fromMessages(threads.newThread(), stored).turns[0].run.parts;
  assert.deepEqual([part.summary, part.durationMs, part.forUi], ["Orders", 12, "One"]);
});

const A = { provider_id: "far", model: "a" };
const B = { provider_id: "near", model: "b" };
const change = (more) => ({ from: A, to: B, reason: "PROVIDER_TIMEOUT", discard: null, omitted: [], after_calls: 0, ...more });

test("a stored run tells its routes, and where they changed as its events did", () => {
  const called = (id) => ({ type: "function_call", call_id: id, name: "orders", arguments: {} });
  const line = { status: "failed", provider_id: "far", model: "a", error: { code: "PROVIDER_TIMEOUT", message: "" }, routes: [A, B],
    route_changes: [change(), change({ from: B, to: A, after_calls: 2 }), change({ after_calls: 2 }), change({ from: B, omitted: ["tools"], after_calls: 9 })] };
  const stored = { conversationId: "c", title: "", openRunId: null, runs: { r: line }, messages: [message("user", []),
    message("assistant", [{ type: "text", text: "one" }, called("k"), called("l")]), message("assistant", [{ type: "text", text: "two" }], { message_id: "n" })] };
  const { run } = threads.fromMessages(threads.newThread(), stored).turns[0];
  assert.deepEqual(run.parts.map((part) => part.type), ["notice", "text", "tool", "tool", "notice", "text", "notice"]);
  assert.deepEqual(run.parts.filter((part) => part.type === "notice").map((part) => part.to.model), ["b", "b", "b"]);
  assert.equal(new Set(run.parts.map((part) => part.key)).size, 7);
  assert.deepEqual([run.route, run.routes.map((route) => route.model)], [{ providerId: "near", model: "b" }, ["a", "b"]]);
});

test("the rating is that of the last words of a completed run", () => {
  const stored = { conversationId: "c", title: "", openRunId: null, runs: { r: { status: "completed" } },
    messages: [message("user", []), message("assistant", [{ type: "text", text: "one" }], { feedback: { rating: "down", comment: "" } })] };
  const [turn] = threads.fromMessages(threads.newThread(), stored).turns;
  assert.deepEqual([turn.rating, threads.ratedMessage(turn.run)], ["down", "assistant1"]);
  assert.equal(threads.ratedMessage({ ...turn.run, status: "failed" }), null);
});

test("the next send takes the place of one that was refused", () => {
  const refused = threads.withRefusal(sent(), "s", { code: "X" });
  assert.deepEqual(threads.withoutRefused(refused).turns, []);
  assert.equal(threads.withoutRefused(accept(sent())).turns.length, 1);
});
