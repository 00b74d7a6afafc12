import assert from "node:assert/strict";
import { test } from "node:test";

import { Session } from "../../static/conversations/session.js";
import { events } from "./fakes.js";

/** A session over a socket and an API that only record. */
function start({ stored = {}, pending = [], conversation = "", agent = "", isModelGone } = {}) {
  const told = [];
  const tell = (name) => (...values) => told.push([name, ...values]);
  const socket = { runs: new Map(), connect: tell("connect"), send: tell("send"), stop: tell("stop"), forget: tell("forget"),
    follow: tell("follow"), subscribe: (runId, lastSeen) => told.push(["subscribe", runId, lastSeen()]) };
  const memory = { kept: conversation, frames: pending, conversation() { return this.kept; }, setConversation(id) { this.kept = id; },
    pending() { return this.frames; }, setPending(frames) { this.frames = frames; } };
  const answer = (path) => (path in stored ? Promise.resolve(stored[path]) : Promise.reject(Object.assign(new Error(), { status: stored.status ?? 404, code: "NOT_FOUND" })));
  const api = { conversation: answer, messages: (id) => answer(`${id}/messages`), conversations: () => answer("list") };
  let handlers;
  const session = new Session({ api, memory, socketUrl: "ws://x/", agent, isModelGone, onChange: () => {},
    onInvalidated: tell("invalidated"), onRefused: tell("refused"), makeSocket: (options) => { handlers = options.handlers; return socket; } });
  return { session, memory, told, handlers, sent: () => told.filter(([name]) => name === "send").map(([, frame]) => frame) };
}

const TALK = { c: { title: "T", open_run_id: "r" }, "c/messages": { results: [], open_run_id: "r" } };

test("a message is remembered until the server names its run", () => {
  const { session, memory, handlers, sent } = start();
  session.send("hi", { model: "m" });
  assert.deepEqual(memory.frames, sent());
  assert.deepEqual([sent()[0].text, sent()[0].model, "conversation_id" in sent()[0]], ["hi", "m", false]);
  handlers.accepted({ send_id: sent()[0].send_id, run_id: "r", conversation_id: "c" });
  assert.deepEqual([memory.frames, memory.kept], [[], "c"]);
  for (const event of events("r", ["RunStarted"], ["RunCompleted", { output: "" }])) handlers.event(event);
  session.send("again");
  assert.equal(sent()[1].conversation_id, "c");
});

test("what was not accepted before a reload is sent again as it was", async () => {
  const frame = { send_id: "s", text: "hi" };
  const { session, sent } = start({ pending: [frame] });
  await session.start();
  assert.deepEqual(sent(), [frame]);
  assert.equal(session.busy, true);
});

test("a stop that came before the server named the run survives a reload, and another one", async () => {
  const first = start();
  first.session.send("hi");
  first.session.stop();
  const again = start({ pending: first.memory.frames });
  await again.session.start();
  assert.deepEqual(again.sent(), first.sent());
  assert.equal(again.session.stopping, true);
  const third = start({ pending: again.memory.frames });
  await third.session.start();
  third.handlers.accepted({ send_id: third.sent()[0].send_id, run_id: "r", conversation_id: "c" });
  assert.deepEqual(third.told.filter(([name]) => name === "stop"), [["stop", "r"]]);
});

test("only a new conversation is told its agent, one that is there has its own", async () => {
  const { session, sent } = start({ agent: "sales", conversation: "c", stored: { c: { title: "T", agent: "travel" }, "c/messages": { results: [] } } });
  await session.start();
  assert.equal(session.thread.agent, "travel");
  session.send("here");
  assert.deepEqual([sent()[0].conversation_id, "agent" in sent()[0]], ["c", false]);
  session.newConversation();
  session.send("there");
  assert.deepEqual(["conversation_id" in sent()[1], sent()[1].agent], [false, "sales"]);
});

for (const [isGone, code] of [[true, "MODEL_NOT_FOUND"], [false, "NOT_FOUND"]]) {
  test(`a model that went away is told from a conversation that did: ${code}`, async () => {
    const { session, told, handlers, sent } = start({ isModelGone: async (frame) => isGone && frame.model === "m" });
    session.send("precious", { provider_id: "p", model: "m" });
    handlers.error({ code: "NOT_FOUND", message: "There is no provider of that name.", send_id: sent()[0].send_id });
    await new Promise(setImmediate);
    assert.equal(session.thread.turns[0].error.code, code);
    assert.deepEqual(told.filter(([name]) => name === "refused"), [["refused", "precious"]]);
  });
}

test("an open run of the remembered conversation is followed from its start", async () => {
  const { session, told } = start({ conversation: "c", stored: TALK });
  await session.start();
  assert.deepEqual(told.at(-1), ["subscribe", "r", -1]);
  assert.equal(session.busy, true);
});

test("a conversation that is gone leaves an empty one", async () => {
  const { session, memory } = start({ conversation: "gone" });
  await session.start();
  assert.deepEqual([session.thread.conversationId, memory.kept, session.problem, session.loading], [null, "", null, false]);
});

test("a conversation that cannot be read now says so and is not forgotten", async () => {
  const { session, memory } = start({ conversation: "c", stored: { status: 500 } });
  await session.start();
  assert.deepEqual([memory.kept, session.problem.code, session.loading], ["c", "NOT_FOUND", false]);
});

test("an interruption takes nothing from the page, even when reading again fails", async () => {
  const { session, handlers, sent } = start();
  session.send("hi");
  handlers.accepted({ send_id: sent()[0].send_id, run_id: "r", conversation_id: "c" });
  handlers.status("open");
  handlers.status("waiting");
  handlers.status("open");
  await new Promise(setImmediate);
  assert.equal(session.thread.turns.length, 1);
});

test("a hole asks once for what is missing", () => {
  const { session, handlers, sent, told } = start();
  session.send("hi");
  handlers.accepted({ send_id: sent()[0].send_id, run_id: "r", conversation_id: "c" });
  const list = events("r", ["RunStarted"], ["TextDelta", { message_id: "m", text: "a" }], ["TextDelta", { message_id: "m", text: "b" }], ["TextDelta", { message_id: "m", text: "c" }]);
  for (const event of [list[0], list[2], list[3]]) handlers.event(event);
  assert.deepEqual(told.filter(([name]) => name === "subscribe"), [["subscribe", "r", 0]]);
  for (const event of list) handlers.event(event);
  assert.equal(session.thread.turns[0].run.parts[0].text, "abc");
});

test("a stop before the server named the run is said as soon as it does", () => {
  const { session, handlers, sent, told } = start();
  session.send("hi");
  session.stop();
  handlers.accepted({ send_id: sent()[0].send_id, run_id: "r", conversation_id: "c" });
  assert.deepEqual(told.filter(([name]) => name === "stop"), [["stop", "r"]]);
});

test("a stop before the server named the run holds in another conversation, too", () => {
  const { session, handlers, sent, told } = start();
  session.send("one");
  session.stop();
  session.newConversation();
  session.send("two");
  handlers.accepted({ send_id: sent()[0].send_id, run_id: "r1", conversation_id: "c1" });
  handlers.accepted({ send_id: sent()[1].send_id, run_id: "r2", conversation_id: "c2" });
  assert.deepEqual(told.filter(([name]) => name === "stop"), [["stop", "r1"]]);
});

test("a stopped send that is accepted twice is stopped once", () => {
  const { session, handlers, sent, told } = start();
  session.send("one");
  session.stop();
  for (let times = 0; times < 2; times += 1) handlers.accepted({ send_id: sent()[0].send_id, run_id: "r", conversation_id: "c" });
  assert.deepEqual(told.filter(([name]) => name === "stop"), [["stop", "r"]]);
});

test("a run of another tab is followed, of another conversation not, a known one not again", () => {
  const { session, handlers, sent, told } = start();
  session.send("hi");
  handlers.accepted({ send_id: sent()[0].send_id, run_id: "r", conversation_id: "c" });
  const frame = (run_id, conversation_id, state) => handlers.conversation({ conversation_id, run_id, state, title: "T" });
  frame("r", "c", "running");
  frame("r2", "c", "idle");
  frame("r3", "elsewhere", "running");
  assert.deepEqual(told.filter(([name]) => name === "subscribe"), [["subscribe", "r2", -1]]);
  assert.equal(session.thread.title, "T");
});

test("trying again after a refusal replaces the message, after a failed run it follows it", () => {
  const { session, handlers, sent } = start();
  session.send("hi");
  handlers.error({ code: "TOO_MANY_RUNS", message: "", send_id: sent()[0].send_id });
  session.retry(session.thread.turns[0]);
  assert.deepEqual(session.thread.turns.map((turn) => turn.user.text), ["hi"]);
  handlers.accepted({ send_id: sent()[1].send_id, run_id: "r", conversation_id: "c" });
  for (const event of events("r", ["RunStarted"], ["RunFailed", { error: { code: "PROVIDER_TIMEOUT", message: "" } }])) handlers.event(event);
  session.retry(session.thread.turns[0], { model: "other" });
  assert.equal(session.thread.turns.length, 2);
  assert.equal(sent()[2].model, "other");
  assert.notEqual(sent()[2].send_id, sent()[1].send_id);
});

test("an error about nothing in particular is a notice, and a new message clears it", () => {
  const { session, handlers } = start();
  handlers.error({ code: "VALIDATION_ERROR", message: "no" });
  assert.equal(session.problem.code, "VALIDATION_ERROR");
  session.send("hi");
  assert.equal(session.problem, null);
});

test("leaving a conversation stops following its run, and late events change nothing", () => {
  const { session, handlers, sent, told } = start();
  session.send("hi");
  handlers.accepted({ send_id: sent()[0].send_id, run_id: "r", conversation_id: "c" });
  session.newConversation();
  assert.deepEqual(told.at(-1), ["forget", "r", { tell: true }]);
  handlers.event(events("r", ["RunStarted"])[0]);
  assert.deepEqual(session.thread.turns, []);
});

test("a stop of a refused message does not stop the next one", () => {
  const { session, told, handlers, sent } = start();
  session.send("one");
  session.stop();
  handlers.error({ code: "TOO_MANY_RUNS", message: "Wait.", send_id: sent()[0].send_id });
  session.send("two");
  handlers.accepted({ send_id: sent()[1].send_id, run_id: "r", conversation_id: "c" });
  assert.equal(told.some(([name]) => name === "stop"), false);
});

test("what a tool changed is told to the host page", () => {
  const { session, told, handlers, sent } = start();
  session.send("hi");
  handlers.accepted({ send_id: sent()[0].send_id, run_id: "r", conversation_id: "c" });
  const call = { call_id: "k", name: "orders.cancel", status: "done", invalidates: ["orders"] };
  for (const event of events("r", ["RunStarted"], ["ToolCallStarted", call], ["ToolCallCompleted", call])) handlers.event(event);
  assert.deepEqual(told.filter(([name]) => name === "invalidated"), [["invalidated", ["orders"]]]);
});

test("a stop goes on until the answer has ended", () => {
  const { session, handlers, sent } = start();
  session.send("hi");
  assert.equal(session.stopping, false);
  session.stop();
  assert.equal(session.stopping, true);
  handlers.accepted({ send_id: sent()[0].send_id, run_id: "r", conversation_id: "c" });
  assert.equal(session.stopping, true);
  for (const event of events("r", ["RunStarted"], ["RunCancelled", { reason: "user" }])) handlers.event(event);
  assert.equal(session.stopping, false);
});

test("the words of a refused send are given back, also in another conversation", () => {
  const { session, told, handlers, sent } = start();
  session.send("precious");
  session.newConversation();
  handlers.error({ code: "TOO_MANY_RUNS", message: "Later.", send_id: sent()[0].send_id });
  assert.deepEqual(told.filter(([name]) => name === "refused"), [["refused", "precious"]]);
  assert.equal(session.problem.code, "TOO_MANY_RUNS");
});

test("a rating is shown at once, and as it was when the server refuses it", async () => {
  const { session, handlers, sent, told } = start();
  session.send("hi");
  handlers.accepted({ send_id: sent()[0].send_id, run_id: "r", conversation_id: "c" });
  const end = [["RunStarted"], ["MessageCompleted", { message_id: "m", text: "one" }], ["RunCompleted", { output: "one" }]];
  for (const event of events("r", ...end)) handlers.event(event);
  session.api.rate = async (...values) => { told.push(["rate", ...values]); };
  await session.rate(session.thread.turns[0], "up");
  assert.deepEqual([session.thread.turns[0].rating, told.at(-1)], ["up", ["rate", "c", "m", "up"]]);
  session.api.rate = async () => { throw Object.assign(new Error("gone"), { code: "NOT_FOUND" }); };
  const refused = session.rate(session.thread.turns[0], "down");
  assert.equal(session.thread.turns[0].rating, "down");
  await refused;
  assert.deepEqual([session.thread.turns[0].rating, session.problem.code], ["up", "NOT_FOUND"]);
});
