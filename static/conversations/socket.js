/**
 * The WebSocket of a conversation: what was not accepted is sent again, what was followed is resumed.
 *
 * A send stays pending until the server names its run; the same `send_id` goes out on each new connection, and
 * the server makes one run of it. `clock` and `WebSocketClass` are given, so that tests need no time and no net.
 */

export const BASE_MS = 500;
export const CAP_MS = 30_000;
export const PING_MS = 25_000;
export const PONG_MS = 10_000;
export const CLOSED_LOGIN = 4401;
export const CLOSED_SLOW = 4408;
const OPEN = 1;

/** Full jitter: anything between nothing and the exponential step, so that many tabs do not return at once. */
export const backoff = (attempt, random = Math.random) => random() * Math.min(CAP_MS, BASE_MS * 2 ** Math.min(attempt, 16));

const systemClock = {
  set: (fn, ms) => globalThis.setTimeout(fn, ms),
  clear: (id) => globalThis.clearTimeout(id),
};

export class AgentSocket {
  /** handlers: {status(name), accepted(frame), event(envelope), conversation(frame), error(frame)}; all optional. */
  constructor({ url, handlers = {}, WebSocketClass = globalThis.WebSocket, clock = systemClock, random = Math.random }) {
    Object.assign(this, { url, handlers, WebSocketClass, clock, random });
    this.pending = new Map(); // send_id -> frame
    this.runs = new Map(); // run_id -> () => last sequence seen
    this.stops = new Set(); // run_id asked to stop, until it has ended: the connection may break before it is heard
    this.socket = null;
    this.status = "idle"; // idle, connecting, open, waiting, login, closed
    this.attempt = 0;
  }

  connect() {
    if (["connecting", "open", "login"].includes(this.status)) return;
    this.clock.clear(this.retryTimer);
    this.setStatus("connecting");
    const socket = new this.WebSocketClass(this.url);
    this.socket = socket;
    socket.onopen = () => socket === this.socket && this.opened();
    socket.onmessage = (message) => socket === this.socket && this.received(message.data);
    socket.onclose = (event) => socket === this.socket && this.lost(event.code);
  }

  /** Connect now instead of at the end of the wait: the machine is online again, the tab is looked at. */
  wake() {
    if (this.status === "waiting") this.connect();
  }

  close() {
    this.setStatus("closed");
    this.drop();
  }

  send(frame) {
    this.pending.set(frame.send_id, { ...frame, type: "send" });
    this.transmit(this.pending.get(frame.send_id));
    this.connect();
  }

  stop(runId) {
    this.stops.add(runId);
    this.transmit({ type: "stop", run_id: runId });
  }

  decide(frame) {
    return this.transmit({ ...frame, type: "permission" });
  }

  /** Follow a run from after the sequence that `lastSeen()` says, now and on each new connection. */
  subscribe(runId, lastSeen) {
    this.runs.set(runId, lastSeen);
    this.transmit({ type: "subscribe", run_id: runId, after_sequence: lastSeen() });
  }

  /** Remember a run that the server already sends to us, for the next connection. */
  follow(runId, lastSeen) {
    this.runs.set(runId, lastSeen);
  }

  /** The run ended, or the reader looks at something else. */
  forget(runId, { tell = false } = {}) {
    const isKnown = this.runs.delete(runId);
    const isHeard = !tell || (isKnown && this.transmit({ type: "unsubscribe", run_id: runId }));
    if (isHeard) this.stops.delete(runId);
  }

  transmit(frame) {
    if (this.status !== "open" || this.socket?.readyState !== OPEN) return false;
    this.socket.send(JSON.stringify(frame));
    return true;
  }

  opened() {
    this.setStatus("open");
    for (const [runId, lastSeen] of this.runs) this.transmit({ type: "subscribe", run_id: runId, after_sequence: lastSeen() });
    for (const frame of this.pending.values()) this.transmit(frame);
    for (const runId of [...this.stops]) {
      this.transmit({ type: "stop", run_id: runId });
      if (!this.runs.has(runId)) this.stops.delete(runId); // nobody looks: its end will not be told
    }
    this.ping();
  }

  ping() {
    this.clock.clear(this.pingTimer);
    this.clock.clear(this.pongTimer);
    if (!this.transmit({ type: "ping" })) return;
    // A dead network closes nothing for minutes: without an answer the connection counts as lost.
    this.pongTimer = this.clock.set(() => this.lost(1006), PONG_MS);
    this.pingTimer = this.clock.set(() => this.ping(), PING_MS);
  }

  received(data) {
    // Only a server that speaks ends the backoff: one that accepts and closes must not be hammered.
    this.attempt = 0;
    this.clock.clear(this.pongTimer);
    let frame;
    try {
      frame = JSON.parse(data);
    } catch {
      return;
    }
    if (frame.type === "accepted") this.pending.delete(frame.send_id);
    if (frame.type === "error" && frame.send_id) this.pending.delete(frame.send_id);
    const payload = frame.type === "event" ? frame.event : frame;
    if (frame.type !== "pong") this.handlers[frame.type]?.(payload);
  }

  lost(code) {
    this.drop();
    if (this.status === "closed") return;
    if (code === CLOSED_LOGIN) {
      this.setStatus("login");
      return;
    }
    this.setStatus("waiting");
    const delay = code === CLOSED_SLOW && this.attempt === 0 ? 0 : backoff(this.attempt, this.random);
    this.attempt += 1;
    this.retryTimer = this.clock.set(() => this.connect(), delay);
  }

  drop() {
    for (const timer of [this.retryTimer, this.pingTimer, this.pongTimer]) this.clock.clear(timer);
    const socket = this.socket;
    this.socket = null;
    if (socket) {
      socket.onopen = socket.onmessage = socket.onclose = null;
      socket.close();
    }
  }

  setStatus(status) {
    this.status = status;
    this.handlers.status?.(status);
  }
}
