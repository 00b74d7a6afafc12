"""Recovery: a run whose owner is gone is closed with what it showed, its calls paired, and its record owed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from agentcore.agents.context import Meter
from agentcore.agents.journal import Outcome, call_completed, unfinished
from agentcore.chat import Route
from agentcore.constraints import constraint_of
from agentcore.errors import AgentError, AgentProcessRestarted, InternalError, ToolFailed
from agentcore.events import Event, EventType
from agentcore.messages import (
    CallStatus,
    Content,
    FunctionCallContent,
    FunctionResultContent,
    Message,
    Role,
    TextContent,
    Usage,
)
from agentcore.models import Run, RunEvent, RunStep, ToolCall
from agentcore.models.runs import RunQuerySet
from agentcore.observers import Cost
from agentcore.providers.estimate import TOKENS_A_MESSAGE, compact_json, estimated_tokens
from agentcore.selectors import events_after
from agentcore.serialisation import message_from_json
from agentcore.services.endings import TERMINAL_EVENT, ending_of, terminal_data
from agentcore.services.events import EVENT_ONCE, event_rows
from agentcore.services.leases import lease_end, own_owner
from agentcore.services.prices import cost_of
from agentcore.services.runs import run_close

ALL = 1_000_000


@dataclass
class Shown:
    """What the log says of the steps after the last settled one."""

    texts: dict[str, str] = field(default_factory=dict)
    whole: set[str] = field(default_factory=set)
    calls: dict[str, FunctionCallContent] = field(default_factory=dict)
    results: dict[str, FunctionResultContent] = field(default_factory=dict)
    step: int = 0
    is_reported: bool = True
    # What the newest step said and thought.
    said: list[str] = field(default_factory=list)
    thought: list[str] = field(default_factory=list)

    def see(self, event: Event) -> None:
        """Take one event of the log, in order."""
        data = event.data
        match event.type:
            case EventType.STEP_STARTED:
                self.step, self.is_reported = data["step"], False
                self.said, self.thought = [], []
            case EventType.REASONING_DELTA:
                self.thought.append(data["text"])
            case EventType.TEXT_DELTA:
                self.said.append(data["text"])
                self.texts[data["message_id"]] = self.texts.get(data["message_id"], "") + data["text"]
            case EventType.MESSAGE_COMPLETED:
                self.texts[data["message_id"]] = data["text"]
                self.whole.add(data["message_id"])
            case EventType.TOOL_CALL_STARTED:
                call = FunctionCallContent(data["call_id"], data["name"], data["arguments"])
                self.calls[call.call_id] = call
            case EventType.TOOL_CALL_COMPLETED:
                self.results[data["call_id"]] = FunctionResultContent(
                    data["call_id"], data["name"], data["result"], CallStatus(data["status"]), data["error"]
                )
            case EventType.ROUTE_CHANGED if data["discard"]:
                # Shown and taken back: it is no part of the answer, but it was billed.
                self.texts.pop(data["discard"], None)
            case EventType.USAGE_REPORTED:
                self.is_reported = True

    def usage(self, input_tokens: int) -> Usage:
        """An estimate of what the step that was cut off used, when it was sent about ``input_tokens``."""
        thought = estimated_tokens("".join(self.thought))
        return Usage(
            input_tokens=input_tokens,
            output_tokens=thought + estimated_tokens("".join(self.said)),
            reasoning_tokens=thought,
            estimated=True,
        )

    def messages(self) -> list[Message]:
        """The unsettled step as messages: what was said, the calls, and one result for each."""
        contents: dict[str, list[Content]] = {key: [TextContent(text)] for key, text in self.texts.items() if text}
        if self.calls:
            last = next(reversed(contents), None)
            asking = contents.setdefault(last or "", [])
            asking.extend(self.calls.values())
        said = [_said(key, parts) for key, parts in contents.items()]
        results = tuple(self.results[call_id] for call_id in self.calls)
        return [*said, Message(role=Role.TOOL, contents=results)] if results else said


def _said(message_id: str, contents: list[Content]) -> Message:
    fields: dict[str, Any] = {"id": message_id} if message_id else {}
    return Message(role=Role.ASSISTANT, contents=tuple(contents), **fields)


def run_abandon(run: Run) -> Run | None:
    """Close an orphan as ``failed`` / ``AGENT_PROCESS_RESTARTED``; None when another process was first.

    What was stored stays: its texts become messages. A call that was running gets the result ``unknown``, one that
    had not begun ``cancelled``.
    """
    # An owner that lives after all has renewed the lease meanwhile.
    unchanged = Run.objects.open().filter(id=run.id, fence=run.fence, lease_expires_at=run.lease_expires_at)
    return _closed(run, unchanged, AgentProcessRestarted)


def run_give_up(run_id: UUID, *, fence: int, reason: type[AgentError] = InternalError) -> Run | None:
    """Close a run of this process that cannot go on as ``failed`` for ``reason``, with what was stored.

    None when it has another owner by now, or has ended.
    """
    mine = Run.objects.open().filter(id=run_id, fence=fence)
    run = mine.first()
    return _closed(run, mine, reason) if run else None


def _closed(run: Run, unchanged: RunQuerySet, reason: type[AgentError]) -> Run | None:
    """Close ``run`` if it is ``unchanged``.

    An owner that lives after all may write an event while its log is read. The database refuses ours then, and the
    log is read again; ours refuses the owner's next one.
    """
    fence = run.fence + 1
    for is_last in (False, False, True):
        try:
            with transaction.atomic(), translation.override(run.locale):
                if not unchanged.update(fence=fence, owner=own_owner(), lease_expires_at=lease_end()):
                    return None
                run.fence = fence
                _close(run, reason())
                break
        except IntegrityError as error:
            if is_last or constraint_of(error) != EVENT_ONCE:
                raise
    run.refresh_from_db()
    return run


def _close(run: Run, reason: AgentError) -> None:
    now = timezone.now()
    log = events_after(run.id, -1, ALL)
    settled = RunStep.objects.filter(run=run).order_by("-step").first()
    shown = Shown()
    for event in _unsettled(log, settled.step if settled else 0):
        shown.see(event)
    tail = _Tail(run, log[-1].sequence if log else -1, now)
    _settle_texts(shown, tail)
    _settle_calls(run, shown, tail, now)
    meter, route = _meter(log), _route(log)
    if route is not None and not shown.is_reported:
        usage = shown.usage(_estimated_input(run, log))
        meter.add(usage, cost_of(route, usage, now))
        charge = meter.total(since=meter.model_calls - 1)
        tail.add(EventType.USAGE_REPORTED, {"step": shown.step} | charge.as_json())
    messages = [message_from_json(item) for item in settled.messages] if settled else []
    ending = ending_of(
        Run.Status.FAILED,
        messages=[*messages, *shown.messages()],
        total=meter.total(),
        model_calls=meter.model_calls,
        finished_at=now,
        last_sequence=tail.sequence + 1,
        answered=route,
        error=reason.as_json(),
    )
    tail.add(TERMINAL_EVENT[Run.Status.FAILED], terminal_data(ending))
    RunEvent.objects.bulk_create(event_rows(tail.events))
    run_close(run_id=run.id, conversation_id=run.conversation_id, fence=run.fence, ending=ending)


@dataclass
class _Tail:
    """The events that recovery adds to a log."""

    run: Run
    sequence: int
    at: datetime
    events: list[Event] = field(default_factory=list)

    def add(self, type: EventType, data: dict[str, Any]) -> None:
        self.sequence += 1
        self.events.append(Event(self.run.id, self.sequence, type, self.at, data))


def _unsettled(log: Sequence[Event], settled_step: int) -> Sequence[Event]:
    """The part of the log that no stored step covers."""
    for index, event in enumerate(log):
        if event.type is EventType.STEP_STARTED and event.data["step"] > settled_step:
            return log[index:]
    return []


def _settle_texts(shown: Shown, tail: _Tail) -> None:
    for message_id, text in shown.texts.items():
        if text and message_id not in shown.whole:
            tail.add(EventType.MESSAGE_COMPLETED, {"message_id": message_id, "text": text})


def _settle_calls(run: Run, shown: Shown, tail: _Tail, now: datetime) -> None:
    status_of = dict(ToolCall.objects.filter(run=run).values_list("call_id", "status"))
    for call in shown.calls.values():
        if call.call_id not in shown.results:
            outcome = _cut_off(call, was_running=status_of.get(call.call_id) == ToolCall.Status.EXECUTING)
            shown.results[call.call_id] = outcome.result
            tail.add(EventType.TOOL_CALL_COMPLETED, call_completed(outcome))
            ToolCall.objects.filter(run=run, call_id=call.call_id, status__in=ToolCall.UNSETTLED).update(
                status=outcome.result.status.value, error=outcome.result.error, finished_at=now, fence=run.fence
            )


def _cut_off(call: FunctionCallContent, *, was_running: bool) -> Outcome:
    if was_running:
        text = _("The run was cut off while it ran: nobody knows whether it took effect.")
        return unfinished(call, CallStatus.UNKNOWN, ToolFailed.code, text)
    text = _("The run was cut off before it began: it had no effect.")
    return unfinished(call, CallStatus.CANCELLED, ToolFailed.code, text)


def _route(log: Sequence[Event]) -> Route | None:
    """The route that was asked last: that of the newest step, unless another one was asked since."""
    for event in reversed(log):
        if event.type in {EventType.STEP_STARTED, EventType.ROUTE_CHANGED}:
            route = event.data["to"] if event.type is EventType.ROUTE_CHANGED else event.data
            return Route(route["provider_id"], route["model"])
    return None


def _meter(log: Sequence[Event]) -> Meter:
    """What the steps of the log reported."""
    meter = Meter()
    for report in (event.data for event in log if event.type is EventType.USAGE_REPORTED):
        amount = None if report["cost"] is None else Decimal(report["cost"])
        meter.add(Usage(**report["usage"]), Cost(amount=amount, currency=report["currency"]))
    return meter


def _estimated_input(run: Run, log: Sequence[Event]) -> int:
    """Tokens that the newest step was sent: those of the report before it, and an estimate of what came since."""
    results: list[Any] = []
    for event in reversed(log):
        if event.type is EventType.USAGE_REPORTED:
            return _reported(event.data) + _estimated(results)
        if event.type is EventType.TOOL_CALL_COMPLETED:
            results.append(event.data["error"] or event.data["result"])
    return _history_tokens(run) + _estimated([run.input])


def _history_tokens(run: Run) -> int:
    """What the model read before the input: the last report of the conversation, as far as it is kept. 1 query."""
    if run.conversation_id is None:
        return 0
    earlier = RunEvent.objects.filter(run__conversation_id=run.conversation_id, run_id__lt=run.id)
    report = earlier.filter(type=EventType.USAGE_REPORTED).order_by("-run_id", "-sequence").first()
    return _reported(report.data) if report else 0


def _reported(report: dict[str, Any]) -> int:
    return int(report["usage"]["input_tokens"] + report["usage"]["output_tokens"])


def _estimated(contents: Iterable[Any]) -> int:
    texts = (content if isinstance(content, str) else compact_json(content) for content in contents)
    return sum(TOKENS_A_MESSAGE + estimated_tokens(text) for text in texts)
