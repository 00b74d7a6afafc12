/**
 * What one drawer does: the thread, the socket and the REST calls, joined. It knows no DOM;
 * `onChange(session)` is told of every change and draws when it likes.
 */

import { isOpen } from "./reducer.js";
import { AgentSocket } from "./socket.js";
import * as threads from "./thread.js";

export class Session {
  constructor({ api, memory, socketUrl, agent, onChange, onInvalidated = () => {}, onRefused = () => {}, isModelGone = async () => false, makeSocket = (options) => new AgentSocket(options) }) {
    Object.assign(this, { api, memory, agent, onChange, onInvalidated, onRefused, isModelGone });
    Object.assign(this, { loading: false, connection: "idle", problem: null, conversations: [], stopAsked: false });
    this.thread = threads.newThread();
    this.unwanted = new Set(); // send_id of what was stopped before the server named its run
    this.socket = makeSocket({
      url: socketUrl,
      handlers: {
        status: (status) => this.connectionChanged(status),
        accepted: (frame) => this.accepted(frame),
        event: (event) => this.event(event),
        conversation: (frame) => this.conversationChanged(frame),
        error: (frame) => this.refused(frame),
      },
    });
  }

  /** Begin: what was open before, what was not answered yet, and the connection. */
  async start() {
    const pending = this.memory.pending();
    this.socket.connect();
    await this.show(this.memory.conversation());
    for (const frame of pending) this.post(frame);
  }

  changed(change = {}) {
    Object.assign(this, change);
    this.onChange(this);
  }

  get busy() {
    return threads.isBusy(this.thread);
  }

  /** A stop was asked for, and the answer has not ended yet. */
  get stopping() {
    return this.stopAsked && this.busy;
  }

  // ---- conversations

  newConversation() {
    this.leave();
    this.memory.setConversation("");
    this.changed({ thread: threads.newThread(), problem: null, stopAsked: false });
  }

  async show(conversationId) {
    this.leave();
    this.memory.setConversation(conversationId);
    this.changed({ thread: threads.newThread(conversationId || null), loading: Boolean(conversationId), problem: null, stopAsked: false });
    if (conversationId) await this.load(conversationId);
  }

  leave() {
    for (const turn of this.thread.turns) if (isOpen(turn.run)) this.socket.forget(turn.runId, { tell: true });
  }

  /** `again`: the thread is on the page already, so a failure takes nothing away from it. */
  async load(conversationId, { again = false } = {}) {
    try {
      const [conversation, page] = await Promise.all([this.api.conversation(conversationId), this.api.messages(conversationId)]);
      if (this.thread.conversationId !== conversationId) return;
      const openRunId = page.open_run_id ?? conversation.open_run_id ?? null;
      const stored = { conversationId, title: conversation.title, agent: conversation.agent, messages: page.results, openRunId, runs: page.runs };
      const thread = threads.fromMessages(this.thread, stored);
      this.changed({ thread, loading: false });
      if (openRunId && !this.socket.runs.has(openRunId)) this.watch(openRunId);
    } catch (error) {
      if (this.thread.conversationId === conversationId && !again) this.loadFailed(error);
    }
  }

  loadFailed(error) {
    if (error.status === 404) this.newConversation();
    const problem = error.status === 404 || error.code === "NETWORK" ? null : { code: error.code, message: error.message };
    this.changed({ loading: false, problem });
  }

  async list() {
    try {
      this.changed({ conversations: (await this.api.conversations()).results });
    } catch {
      this.changed({ conversations: [] });
    }
  }

  // ---- sending and stopping

  send(text, route = {}) {
    const frame = { send_id: crypto.randomUUID?.() ?? randomId(), text, ...route };
    // A conversation has an agent of its own, whatever the page around it says.
    if (this.thread.conversationId) frame.conversation_id = this.thread.conversationId;
    else if (this.agent) frame.agent = this.agent;
    this.post(frame);
  }

  /** `isUnwanted` is for the memory only: a stop that a reload must not lose. */
  post({ isUnwanted = false, ...frame }) {
    const kept = isUnwanted ? { ...frame, isUnwanted } : frame;
    this.remember([...this.memory.pending().filter((each) => each.send_id !== frame.send_id), kept]);
    if (isUnwanted) this.unwanted.add(frame.send_id);
    const thread = threads.withoutRefused(this.thread);
    this.changed({ problem: null, stopAsked: isUnwanted, thread: threads.withSend(thread, { sendId: frame.send_id, text: frame.text, at: new Date().toISOString() }) });
    this.socket.send(frame);
  }

  remember(frames) {
    this.memory.setPending(frames);
  }

  /** The frame of a send that got its answer; undefined when nothing of it is remembered. */
  settle(sendId) {
    const pending = this.memory.pending();
    this.remember(pending.filter((frame) => frame.send_id !== sendId));
    return pending.find((frame) => frame.send_id === sendId);
  }

  retry(turn, route = {}) {
    if (this.busy) return;
    if (!turn.runId) this.changed({ thread: threads.withoutTurn(this.thread, turn.key) });
    this.send(turn.user.text, route);
  }

  stop() {
    const run = threads.openRun(this.thread);
    if (run) this.socket.stop(run.runId);
    for (const sendId of threads.unanswered(this.thread)) this.unwanted.add(sendId);
    this.remember(this.memory.pending().map((frame) => (this.unwanted.has(frame.send_id) ? { ...frame, isUnwanted: true } : frame)));
    this.changed({ stopAsked: true });
  }

  /** `rating`: "up", "down", or null to take it back. Shown at once, and taken back when the server refuses. */
  async rate({ key, run, rating: before = null }, rating) {
    this.changed({ thread: threads.withRating(this.thread, key, rating) });
    try {
      await this.api.rate(this.thread.conversationId, threads.ratedMessage(run), rating);
    } catch (error) {
      this.changed({ thread: threads.withRating(this.thread, key, before), problem: { code: error.code, message: error.message } });
    }
  }

  // ---- what the server says

  accepted({ send_id: sendId, run_id: runId, conversation_id: conversationId }) {
    this.settle(sendId);
    // Also of a conversation that was left meanwhile.
    if (this.unwanted.delete(sendId)) this.socket.stop(runId);
    if (!this.thread.turns.some((turn) => turn.sendId === sendId)) return;
    this.socket.follow(runId, () => this.lastSeen(runId));
    this.memory.setConversation(conversationId);
    this.changed({ thread: threads.withAccepted(this.thread, { sendId, runId, conversationId }) });
  }

  event(event) {
    const thread = threads.withEvent(this.thread, event);
    const turn = thread.turns.find((each) => each.runId === event.run_id);
    if (!turn) return;
    const before = this.thread.turns.find((each) => each.runId === event.run_id)?.run;
    this.changed({ thread });
    if (event.type === "ToolCallCompleted" && event.data.invalidates?.length) this.onInvalidated(event.data.invalidates);
    if (turn.run.gap && !before?.gap) this.watch(event.run_id);
    if (!isOpen(turn.run)) this.socket.forget(event.run_id);
  }

  watch(runId) {
    this.socket.subscribe(runId, () => this.lastSeen(runId));
  }

  lastSeen(runId) {
    return this.thread.turns.find((turn) => turn.runId === runId)?.run?.last ?? -1;
  }

  conversationChanged(frame) {
    if (frame.conversation_id !== this.thread.conversationId) return;
    if (frame.title) this.changed({ thread: { ...this.thread, title: frame.title } });
    const known = this.thread.turns.some((turn) => turn.runId === frame.run_id);
    // Also when it has ended already: a short answer may be over before it is announced.
    if (!frame.run_id || known) return;
    this.changed({ thread: threads.withRun(this.thread, frame.run_id) });
    this.watch(frame.run_id);
  }

  refused({ code, message, send_id: sendId, run_id: runId }) {
    const error = { code, message };
    this.stopAsked = false;
    if (sendId) {
      this.sendRefused(sendId, error);
    } else if (runId && code === "NOT_FOUND") {
      this.socket.forget(runId);
      this.changed({ thread: threads.withLostRun(this.thread, runId, error) });
    } else {
      this.changed({ problem: error });
    }
  }

  async sendRefused(sendId, error) {
    this.unwanted.delete(sendId);
    const frame = this.settle(sendId);
    // "Not found" may be the conversation or the model, and the way on is not the same.
    const isModel = error.code === "NOT_FOUND" && Boolean(frame?.provider_id) && (await this.isModelGone(frame));
    const said = isModel ? { code: "MODEL_NOT_FOUND", message: "" } : error;
    const turn = this.thread.turns.find((each) => each.sendId === sendId);
    const words = frame?.text ?? turn?.user.text;
    this.changed(turn ? { thread: threads.withRefusal(this.thread, sendId, said) } : { problem: said });
    if (words) this.onRefused(words);
  }

  /** After an interruption other tabs may have gone on: read again what is stored. */
  connectionChanged(status) {
    const returned = status === "open" && this.wasOpen;
    if (status === "open") this.wasOpen = true;
    this.changed({ connection: status });
    if (returned && this.thread.conversationId) this.load(this.thread.conversationId, { again: true });
  }
}

/** For pages without a secure context, where `crypto.randomUUID` is missing. */
function randomId() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
