/** Fakes at the outer wire: a clock that is told the time, and a WebSocket whose other end is the test. */

export class FakeClock {
  constructor() {
    Object.assign(this, { now: 0, timers: new Map(), next: 1 });
  }

  set(fn, ms) {
    this.timers.set(this.next, { at: this.now + ms, fn });
    return this.next++;
  }

  clear(id) {
    this.timers.delete(id);
  }

  advance(ms) {
    const end = this.now + ms;
    for (;;) {
      const due = [...this.timers].filter(([, timer]) => timer.at <= end).sort((a, b) => a[1].at - b[1].at)[0];
      if (!due) break;
      this.timers.delete(due[0]);
      this.now = due[1].at;
      due[1].fn();
    }
    this.now = end;
  }
}

/** `sockets.made` are the connections in order; each has `sent`, `open()`, `say(frame)`, `drop(code)`. */
export function fakeSockets() {
  const made = [];
  class FakeWebSocket {
    constructor(url) {
      Object.assign(this, { url, readyState: 0, sent: [], closed: false });
      made.push(this);
    }

    open() {
      this.readyState = 1;
      this.onopen();
    }

    send(text) {
      this.sent.push(JSON.parse(text));
    }

    say(frame) {
      this.onmessage({ data: JSON.stringify(frame) });
    }

    drop(code = 1006) {
      this.readyState = 3;
      this.onclose?.({ code });
    }

    close() {
      this.closed = true;
      this.readyState = 3;
    }

    /** What was sent, without pings. */
    get frames() {
      return this.sent.filter((frame) => frame.type !== "ping");
    }
  }
  return { FakeWebSocket, made };
}

/** Envelopes of one run, numbered from 0. */
export function events(runId, ...pairs) {
  return pairs.map(([type, data], sequence) => ({
    run_id: runId, sequence, type, created_at: "2026-01-01T00:00:00Z", data: data ?? {},
  }));
}
