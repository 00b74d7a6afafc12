/**
 * One conversation as a list of turns, as pure functions.
 *
 * thread: {conversationId, title, agent, turns}; `agent` once it was read: until then that of the page.
 * turn: {key, sendId, runId, user: {text, at, state: "sending"|"sent"|"failed"} | null, run, error, rating}
 */

import { durationOf, isOpen, newRun, reduce } from "./reducer.js";
import { routeOf, withChange } from "./routes.js";

export const newThread = (conversationId = null, title = "") => ({ conversationId, title, agent: null, turns: [] });

/** The run that goes on, or null: while there is one, "send" is "stop". */
export function openRun(thread) {
  const turn = thread.turns.findLast((each) => isOpen(each.run));
  return turn ? turn.run : null;
}

const isSending = (turn) => turn.user?.state === "sending";

export const isBusy = (thread) => thread.turns.some((turn) => isOpen(turn.run) || isSending(turn));

/** The send_ids that no run was named for yet. */
export const unanswered = (thread) => thread.turns.filter(isSending).map((turn) => turn.sendId);

const mapTurns = (thread, change) => ({ ...thread, turns: thread.turns.map(change) });

export function withSend(thread, { sendId, text, at }) {
  const turn = { key: `send:${sendId}`, sendId, runId: null, user: { text, at, state: "sending" }, run: null, error: null };
  return { ...thread, turns: [...thread.turns.filter((each) => each.sendId !== sendId), turn] };
}

/** The server took it. The run may already be here, from a "conversation" frame that overtook the answer. */
export function withAccepted(thread, { sendId, runId, conversationId }) {
  const early = thread.turns.find((turn) => turn.runId === runId && turn.sendId !== sendId);
  const next = mapTurns(thread, (turn) => (turn.sendId !== sendId ? turn : {
    ...turn, runId, error: null, user: { ...turn.user, state: "sent" }, run: turn.run ?? early?.run ?? newRun(runId),
  }));
  const known = next.turns.some((turn) => turn.sendId === sendId);
  const turns = known ? next.turns.filter((turn) => turn !== early) : next.turns;
  return { ...next, conversationId: conversationId ?? next.conversationId, turns };
}

export function withRefusal(thread, sendId, error) {
  return mapTurns(thread, (turn) => (turn.sendId !== sendId ? turn : { ...turn, error, user: { ...turn.user, state: "failed" } }));
}

/** A run that was started elsewhere: another tab, the command line, before a reload. */
export function withRun(thread, runId) {
  if (thread.turns.some((turn) => turn.runId === runId)) return thread;
  return { ...thread, turns: [...thread.turns, { key: `run:${runId}`, sendId: null, runId, user: null, run: newRun(runId), error: null }] };
}

/** A refused send, whose words are back in the composer, makes room for the next one. */
export const withoutRefused = (thread) => ({ ...thread, turns: thread.turns.filter((turn) => turn.user?.state !== "failed") });

export const withoutTurn = (thread, key) => ({ ...thread, turns: thread.turns.filter((turn) => turn.key !== key) });

export function withEvent(thread, event) {
  return mapTurns(thread, (turn) => {
    if (turn.runId !== event.run_id) return turn;
    const run = reduce(turn.run ?? newRun(turn.runId), event);
    if (run === turn.run) return turn;
    const user = turn.user ?? (run.input === null ? null : { text: run.input, at: event.created_at, state: "sent" });
    return { ...turn, run, user };
  });
}

export const withRating = (thread, key, rating) => mapTurns(thread, (turn) => (turn.key === key ? { ...turn, rating } : turn));

/** The message that a rating of this run is about: its last words. Null when there is nothing to rate. */
export function ratedMessage(run) {
  if (run?.status !== "completed") return null;
  return run.parts.findLast((part) => part.type === "text" && part.messageId && part.text.trim())?.messageId ?? null;
}

/** The run is gone for this reader (deleted, not theirs): it will not go on here. */
export function withLostRun(thread, runId, error) {
  return mapTurns(thread, (turn) => (turn.runId !== runId || !isOpen(turn.run) ? turn : {
    ...turn, run: { ...turn.run, status: "failed", error },
  }));
}

/**
 * The turns that stored messages make, oldest first. What `previous` knows better is kept: runs that it
 * followed by events, and sends that no answer came to yet. The open run comes whole from its events.
 */
export function fromMessages(previous, { conversationId, title, agent = null, messages, openRunId, runs = {} }) {
  const turns = [];
  for (const message of messages) addMessage(turns, message, openRunId);
  for (const turn of turns) if (turn.runId !== openRunId) turn.run = withLine(turn.run, runs[turn.runId]);
  if (openRunId && !turns.some((turn) => turn.runId === openRunId)) {
    turns.push({ key: `run:${openRunId}`, sendId: null, runId: openRunId, user: null, run: newRun(openRunId), error: null });
  }
  const followed = new Map(previous.turns.filter((turn) => turn.run && turn.run.last >= 0).map((turn) => [turn.runId, turn]));
  const known = new Set(turns.map((turn) => turn.runId));
  const pending = previous.turns.filter((turn) => turn.sendId && !known.has(turn.runId));
  return { conversationId, title, agent, turns: [...turns.map((turn) => followed.get(turn.runId) ?? turn), ...pending] };
}

/** How a stored run ended, who answered, what it cost, what its tools showed: what its messages do not tell. */
function withLine(run, line) {
  if (!line || isOpen(line)) return run;
  const calls = new Map((line.tool_calls ?? []).map((call) => [call.call_id, call]));
  const parts = run.parts.map((part) => withCall(part, calls.get(part.callId)));
  const changes = line.route_changes ?? [];
  return {
    ...run, status: line.status, parts: changes.reduce(withStoredChange, parts), error: line.error ?? run.error, reason: line.finish_reason ?? line.cancel_reason,
    usage: line.usage, cost: line.cost, currency: line.currency, endedAt: line.finished_at ?? run.endedAt,
    routes: (line.routes ?? []).map(routeOf), route: newestRoute(line, changes) ?? run.route,
  };
}

/** Of a run that failed, the line names who answered last, and that may be an earlier step's. */
function newestRoute(line, changes) {
  if (line.status === "failed" && changes.length) return routeOf(changes.at(-1).to);
  return line.model ? routeOf(line) : null;
}

/** The notice stands where it stood when it was news: after as many calls as had begun. */
function withStoredChange(parts, change, index) {
  let at = 0;
  for (let calls = 0; at < parts.length && (calls < change.after_calls || parts[at].type === "notice"); at += 1) {
    if (parts[at].type === "tool") calls += 1;
  }
  return withChange(parts, change, `notice:${index}`, at);
}

function withCall(part, call) {
  if (!call) return part;
  return { ...part, summary: call.summary, forUi: call.for_ui, durationMs: durationOf({ status: part.status, duration_ms: call.duration_ms }) };
}

function addMessage(turns, message, openRunId) {
  const turn = turnOf(turns, message, openRunId);
  if (message.role === "user") {
    turn.user = { text: message.text, at: message.created_at, state: "sent" };
  } else if (message.run_id === null || message.run_id !== openRunId) {
    turn.run = { ...turn.run, endedAt: message.created_at };
    if (message.role === "assistant") turn.rating = message.feedback?.rating ?? null;
    for (const content of partsOf(message)) addContent(turn.run, message, content);
  }
}

const partsOf = (message) => (message.contents?.length ? message.contents : [{ type: "text", text: message.text }]);

function turnOf(turns, message, openRunId) {
  const last = turns.at(-1);
  const same = message.run_id ? turns.find((turn) => turn.runId === message.run_id) : message.role !== "user" && last;
  if (same) return same;
  const key = message.run_id ? `run:${message.run_id}` : `message:${message.message_id}`;
  const isRunning = message.run_id !== null && message.run_id === openRunId;
  const run = { ...newRun(message.run_id), status: isRunning ? "queued" : "completed" };
  turns.push({ key, sendId: null, runId: message.run_id ?? null, user: null, run, error: null });
  return turns.at(-1);
}

const CONTENTS = {
  text: (run, message, content) => pushText(run, message, "text", content),
  reasoning: (run, message, content) => pushText(run, message, "reasoning", content),
  function_call: (run, message, content) => run.parts.push({
    type: "tool", key: `tool:${content.call_id}`, callId: content.call_id, name: content.name,
    arguments: content.arguments ?? {}, status: "unknown", result: undefined, error: null, durationMs: null,
  }),
  function_result: (run, message, content) => {
    const change = { result: content.result, status: content.status ?? (content.error ? "failed" : "done"), error: content.error ?? null };
    const index = run.parts.findIndex((part) => part.callId === content.call_id);
    if (index >= 0) run.parts[index] = { ...run.parts[index], ...change };
  },
  error: (run, message, content) => {
    run.status = "failed";
    run.error = { code: content.code, message: content.message };
  },
};

function addContent(run, message, content) {
  CONTENTS[content.type]?.(run, message, content);
}

function pushText(run, message, type, content) {
  if (!content.text) return;
  run.parts.push({
    type, key: `${type}:${message.message_id}:${run.parts.length}`, messageId: message.message_id, text: content.text, done: true,
  });
}
