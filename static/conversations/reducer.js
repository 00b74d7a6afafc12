/**
 * One run as a reader sees it: `reduce(run, envelope)` is pure, and its only truth is the sequence.
 *
 * run: {runId, last, gap, status, input, parts, citations, usage, cost, currency, error, reason, routes, route, startedAt, endedAt}
 * routes: those that the run may ask, in order; route: the newest that was asked
 * part: {type: "text"|"reasoning", key, messageId, text, done} | {type: "tool", key, callId, name, …}
 *     | {type: "notice", key, notice, …}
 */

import { routeOf, withChange } from "./routes.js";

const ENDS = { RunCompleted: "completed", RunFailed: "failed", RunCancelled: "cancelled" };

export function newRun(runId) {
  return {
    runId, last: -1, gap: false, status: "queued", input: null, parts: [], citations: [], usage: null,
    cost: null, currency: null, error: null, reason: null, routes: [], route: null, startedAt: null, endedAt: null,
  };
}

export const isOpen = (run) => Boolean(run) && !["completed", "failed", "cancelled"].includes(run.status);

/** The next state; the same object when the event is one that was seen. A hole sets `gap` and applies nothing. */
export function reduce(run, event) {
  if (event.run_id !== run.runId || event.sequence <= run.last) return run;
  if (event.sequence > run.last + 1) return run.gap ? run : { ...run, gap: true };
  const handler = HANDLERS[event.type] ?? ((state) => state);
  return { ...handler(run, event.data ?? {}, event), last: event.sequence, gap: false };
}

/** Replace the part with this key by `change(part)`, or append `change(null)`. */
function upsert(parts, key, change) {
  const index = parts.findIndex((part) => part.key === key);
  if (index < 0) return [...parts, { key, ...change(null) }];
  return parts.map((part, i) => (i === index ? { ...part, ...change(part) } : part));
}

function withDelta(type) {
  return (run, data) => ({
    ...run,
    status: "running",
    parts: upsert(closeReasoning(run.parts, type), `${type}:${data.message_id}`, (part) => ({
      type, messageId: data.message_id, text: (part?.text ?? "") + data.text, done: false,
    })),
  });
}

/** Thinking is over as soon as text or a tool follows it. */
function closeReasoning(parts, type) {
  if (type === "reasoning" || !parts.some((part) => part.type === "reasoning" && !part.done)) return parts;
  return parts.map((part) => (part.type === "reasoning" ? { ...part, done: true } : part));
}

function withoutMessages(run, ids) {
  const voided = new Set([ids ?? []].flat());
  return { ...run, parts: run.parts.filter((part) => !part.messageId || !voided.has(part.messageId)) };
}

const withNotice = (run, event, notice) => ({
  ...run, parts: [...run.parts, { type: "notice", key: `notice:${event.sequence}`, ...notice }],
});

function withTool(run, callId, change) {
  return { ...run, parts: upsert(closeReasoning(run.parts, "tool"), `tool:${callId}`, (part) => ({ type: "tool", callId, ...change(part) })) };
}

function ended(run, data, event) {
  const status = ENDS[event.type];
  return {
    ...run,
    status,
    parts: withFinalOutput(run.parts.map(settled), data),
    usage: data.usage ?? run.usage,
    cost: data.cost ?? run.cost,
    currency: data.currency ?? run.currency,
    error: data.error ?? null,
    reason: data.finish_reason ?? data.reason ?? null,
    route: data.model ? routeOf(data) : run.route,
    endedAt: event.created_at,
  };
}

/** Nothing goes on after the end: text is done, and a call that was never answered is settled. */
function settled(part) {
  if (part.type === "tool") return ["running", "waiting"].includes(part.status) ? { ...part, status: "unknown" } : part;
  return part.type === "notice" ? part : { ...part, done: true };
}

/** An answer that came without a message of its own (a reply instead, a limit) is still shown. */
function withFinalOutput(parts, data) {
  if (!data.output || parts.some((part) => part.type === "text" && part.text.trim())) return parts;
  return [...parts, { type: "text", key: "text:output", messageId: null, text: data.output, done: true }];
}

const HANDLERS = {
  RunStarted: (run, data, event) => ({
    ...run, status: "running", input: typeof data.input === "string" ? data.input : run.input, startedAt: event.created_at,
    routes: (data.config?.routes ?? []).map(routeOf),
  }),
  RunResumed: (run, data, event) => withNotice(withoutMessages({ ...run, status: "running" }, data.discard), event, { notice: "resumed" }),
  StepStarted: (run, data) => ({ ...run, status: "running", route: routeOf(data) }),
  TextDelta: withDelta("text"),
  ReasoningDelta: withDelta("reasoning"),
  MessageCompleted: (run, data) => {
    const known = run.parts.some((part) => part.key === `text:${data.message_id}`);
    const parts = closeReasoning(run.parts, "text");
    if (!data.text && !known) return { ...run, parts };
    const change = () => ({ type: "text", messageId: data.message_id, text: data.text ?? "", done: true });
    return { ...run, parts: upsert(parts, `text:${data.message_id}`, change) };
  },
  ToolCallStarted: (run, data, event) => withTool(run, data.call_id, () => ({
    name: data.name, arguments: data.arguments ?? {}, category: data.category, effect: data.effect,
    summary: data.summary, status: "running", startedAt: event.created_at, result: undefined, error: null, durationMs: null,
  })),
  PermissionRequired: (run, data) => withTool({ ...run, status: "waiting_permission" }, data.call_id, (part) => ({
    name: part?.name ?? data.tool, arguments: data.arguments ?? part?.arguments ?? {}, status: "waiting",
    summary: data.summary ?? part?.summary, request: { requestId: data.request_id, expiresAt: data.expires_at },
  })),
  PermissionResolved: (run, data) => withTool({ ...run, status: "running" }, data.call_id, (part) => ({
    ...part, status: data.decision === "deny" ? "denied" : "running", request: null, decision: data.decision,
  })),
  ToolCallCompleted: (run, data) => withTool(run, data.call_id, (part) => ({
    name: data.name ?? part?.name, arguments: part?.arguments ?? {}, status: data.status, result: data.result,
    forUi: data.for_ui ?? null, error: data.error ?? null, durationMs: durationOf(data), request: null,
  })),
  Citation: (run, data) => ({ ...run, citations: [...run.citations.filter((c) => c.number !== data.number), data] }),
  RouteChanged: (run, data, event) => {
    const { parts } = withoutMessages(run, data.discard);
    return { ...run, parts: withChange(parts, data, `notice:${event.sequence}`), route: routeOf(data.to) };
  },
  GuardrailBlocked: (run, data, event) => withNotice(run, event, { notice: "guardrail", stage: data.stage, message: data.message }),
  ContextCompacted: (run, data, event) => withNotice(run, event, { notice: "compacted" }),
  UsageReported: (run, data) => addUsage(run, data),
  RunCompleted: ended,
  RunFailed: ended,
  RunCancelled: ended,
};

/** A call that was cut short before it began has none: "0 ms" would claim that it was done at once. */
export function durationOf({ status, duration_ms: ms }) {
  return ["done", "failed"].includes(status) ? ms ?? null : ms || null;
}

/** Steps add up while the run goes on; the run's last event carries the authoritative sum. */
function addUsage(run, data) {
  const sum = { ...(run.usage ?? {}) };
  for (const [name, value] of Object.entries(data.usage ?? {})) {
    if (typeof value === "number") sum[name] = (sum[name] ?? 0) + value;
    else if (typeof value === "boolean") sum[name] = Boolean(sum[name]) || value;
  }
  return { ...run, usage: sum };
}
