import assert from "node:assert/strict";
import { test } from "node:test";

import { AgentSocket, backoff, CAP_MS, PING_MS, PONG_MS } from "../../static/conversations/socket.js";
import { FakeClock, fakeSockets } from "./fakes.js";

function start(options = {}) {
  const clock = new FakeClock();
  const { FakeWebSocket, made } = fakeSockets();
  const heard = [];
  const hear = (name) => (value) => heard.push([name, value]);
  const handlers = Object.fromEntries(["status", "accepted", "event", "conversation", "error"].map((name) => [name, hear(name)]));
  const socket = new AgentSocket({ url: "ws://x/", handlers, WebSocketClass: FakeWebSocket, clock, random: () => 1, ...options });
  return { clock, made, heard, socket };
}

test("the wait doubles, has full jitter, and never exceeds 30 s", () => {
  assert.deepEqual([0, 1, 2, 3].map((attempt) => backoff(attempt, () => 1)), [500, 1000, 2000, 4000]);
  assert.equal(backoff(0, () => 0), 0);
  for (const attempt of [6, 20, 5000]) assert.equal(backoff(attempt, () => 1), CAP_MS);
});

test("a send before the connection goes out when it opens", () => {
  const { made, socket } = start();
  socket.send({ send_id: "s", text: "hi" });
  assert.equal(made.length, 1);
  made[0].open();
  assert.deepEqual(made[0].frames, [{ type: "send", send_id: "s", text: "hi" }]);
});

test("a send without an answer goes out again with the same id, an accepted one does not", () => {
  const { clock, made, socket } = start();
  socket.connect();
  made[0].open();
  socket.send({ send_id: "kept", text: "1" });
  socket.send({ send_id: "lost", text: "2" });
  made[0].say({ type: "accepted", send_id: "kept", run_id: "r", conversation_id: "c" });
  made[0].drop();
  clock.advance(500);
  made[1].open();
  assert.deepEqual(made[1].frames, [{ type: "send", send_id: "lost", text: "2" }]);
});

test("a refused send is not sent again", () => {
  const { clock, made, heard, socket } = start();
  socket.send({ send_id: "s", text: "" });
  made[0].open();
  made[0].say({ type: "error", code: "VALIDATION_ERROR", message: "", send_id: "s" });
  made[0].drop();
  clock.advance(500);
  made[1].open();
  assert.deepEqual(made[1].frames, []);
  assert.equal(heard.filter(([name]) => name === "error").length, 1);
});

test("what is followed is resumed from the sequence that was seen", () => {
  const { clock, made, socket } = start();
  let seen = -1;
  socket.connect();
  made[0].open();
  socket.subscribe("r", () => seen);
  assert.deepEqual(made[0].frames, [{ type: "subscribe", run_id: "r", after_sequence: -1 }]);
  seen = 41;
  made[0].drop(4408);
  clock.advance(0);
  made[1].open();
  assert.deepEqual(made[1].frames, [{ type: "subscribe", run_id: "r", after_sequence: 41 }]);
});

test("a run that ended or was left is not resumed", () => {
  const { clock, made, socket } = start();
  socket.connect();
  made[0].open();
  socket.follow("r", () => 3);
  socket.forget("r");
  made[0].drop();
  clock.advance(500);
  made[1].open();
  assert.deepEqual(made[1].frames, []);
});

test("4401 ends it: no reconnect, the page is told", () => {
  const { clock, made, heard, socket } = start();
  socket.connect();
  made[0].open();
  made[0].drop(4401);
  clock.advance(10 * CAP_MS);
  assert.equal(made.length, 1);
  assert.deepEqual(heard.at(-1), ["status", "login"]);
});

test("a server that opens and closes without a word does not end the backoff", () => {
  const { clock, made, socket } = start();
  socket.connect();
  for (const wait of [500, 1000, 2000]) {
    made.at(-1).open();
    made.at(-1).drop();
    const before = made.length;
    clock.advance(wait - 1);
    assert.equal(made.length, before);
    clock.advance(1);
    assert.equal(made.length, before + 1);
  }
});

test("a word of the server ends the backoff", () => {
  const { clock, made, socket } = start();
  socket.connect();
  made[0].drop();
  clock.advance(500);
  made[1].open();
  made[1].say({ type: "pong" });
  made[1].drop();
  clock.advance(500);
  assert.equal(made.length, 3);
});

test("a ping without an answer counts as a lost connection", () => {
  const { clock, made, socket } = start();
  socket.connect();
  made[0].open();
  made[0].say({ type: "pong" });
  clock.advance(PING_MS);
  assert.equal(made[0].sent.filter((frame) => frame.type === "ping").length, 2);
  clock.advance(PONG_MS);
  assert.equal(made[0].closed, true);
  assert.equal(socket.status, "waiting");
});

test("waking connects at once, and late news of the old connection is not heard", () => {
  const { made, heard, socket } = start();
  socket.connect();
  made[0].open();
  const late = made[0].onmessage;
  made[0].drop();
  socket.wake();
  assert.equal(made.length, 2);
  late({ data: JSON.stringify({ type: "event", event: {} }) });
  assert.equal(heard.some(([name]) => name === "event"), false);
});

test("a stop while offline is said when the connection is back, unless the run ended", () => {
  const { made, socket } = start();
  socket.stop("r");
  socket.stop("ended");
  socket.forget("ended");
  socket.connect();
  made[0].open();
  assert.deepEqual(made[0].frames, [{ type: "stop", run_id: "r" }]);
});

test("events and conversations are passed on; noise is not", () => {
  const { made, heard, socket } = start();
  socket.connect();
  made[0].open();
  made[0].onmessage({ data: "not json" });
  made[0].say({ type: "never heard of" });
  made[0].say({ type: "event", event: { sequence: 1 } });
  made[0].say({ type: "conversation", title: "T" });
  assert.deepEqual(heard.slice(-2), [["event", { sequence: 1 }], ["conversation", { type: "conversation", title: "T" }]]);
});

test("closed means closed", () => {
  const { clock, made, socket } = start();
  socket.connect();
  made[0].open();
  socket.close();
  made[0].drop();
  clock.advance(CAP_MS);
  assert.equal(made.length, 1);
});

test("a stop that the connection may have lost is said again, until the run ended", () => {
  const { socket, made, clock } = start();
  socket.connect();
  made[0].open();
  socket.follow("r", () => 0);
  socket.stop("r");
  made[0].drop();
  clock.advance(CAP_MS);
  made[1].open();
  assert.deepEqual(made[1].frames.filter(({ type }) => type === "stop"), [{ type: "stop", run_id: "r" }]);
  socket.forget("r");
  made[1].drop();
  clock.advance(CAP_MS);
  made[2].open();
  assert.deepEqual(made[2].frames, []);
});

test("a stop while offline is said also when its reader has gone elsewhere meanwhile", () => {
  const { socket, made } = start();
  socket.connect();
  socket.follow("r", () => 0);
  socket.stop("r");
  socket.forget("r", { tell: true });
  made[0].open();
  assert.deepEqual(made[0].frames, [{ type: "stop", run_id: "r" }]);
  assert.equal(socket.stops.size, 0);
});
