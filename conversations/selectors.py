"""Reads of conversations."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef

from agentcore import messages as kernel
from agentcore.errors import NotFound
from agentcore.events import EventType
from agentcore.models import Run, RunEvent
from agentcore.paging import Cursor, Order, cursor_decode
from conversations.branches import before_run, for_model, path_to
from conversations.models import Conversation, Message

RUN_COLUMNS = (
    "config",
    "status",
    "finish_reason",
    "cancel_reason",
    "provider_id",
    "model",
    "usage",
    "cost",
    "currency",
    "error",
    "finished_at",
)

CALL_STARTED, CALL_COMPLETED, REROUTED = (
    kind.value for kind in (EventType.TOOL_CALL_STARTED, EventType.TOOL_CALL_COMPLETED, EventType.ROUTE_CHANGED)
)

_BY_POSITION = Order(first="position", second="id")


@dataclass(frozen=True)
class MessagePlace:
    """Where a message stands: a path begins at position 0, and each step is one more."""

    id: UUID
    parent_id: UUID | None
    run_id: UUID | None
    position: int


@dataclass
class Beside:
    """What the events of a run tell beside its messages, as long as they are kept.

    ``calls`` are the data of the tool calls, by call. Each of ``route_changes`` has ``after_calls``: how many calls
    had begun when the route changed.
    """

    calls: dict[str, dict[str, Any]] = field(default_factory=dict)
    route_changes: list[dict[str, Any]] = field(default_factory=list)

    def see(self, kind: str, data: dict[str, Any]) -> None:
        if kind == REROUTED:
            self.route_changes.append(data | {"after_calls": len(self.calls)})
        else:
            self.calls.setdefault(data["call_id"], {}).update(data)


@dataclass(frozen=True)
class Thread:
    """A page of the messages that a person sees, oldest first, and their runs, with what stands beside them by run.

    ``next`` and ``previous`` are the cursors of later and of earlier ones. ``open_run_id`` is still answering.
    """

    messages: list[Message]
    runs: list[Run]
    beside: dict[UUID, Beside]
    open_run_id: UUID | None
    next: str | None
    previous: str | None


def conversation_title(conversation_id: UUID) -> str:
    """Empty when it has none, or is gone. 1 query."""
    return Conversation.objects.filter(pk=conversation_id).values_list("title", flat=True).first() or ""


def conversation_visible(conversation_id: UUID, user: Any) -> Conversation:
    """1 query.

    Raises:
        NotFound: unknown, or somebody else's.
    """
    conversation = Conversation.objects.visible_to(user).filter(pk=conversation_id).first()
    if conversation is None:
        raise NotFound()
    return conversation


def open_runs(conversation_ids: Iterable[UUID]) -> dict[UUID, UUID]:
    """The run that has not ended, by conversation. 1 query."""
    rows = Run.objects.open().filter(conversation_id__in=list(conversation_ids))
    return {conversation: run for conversation, run in rows.values_list("conversation_id", "id") if conversation}


def thread_load(conversation: Conversation, *, cursor: str, limit: int) -> Thread:
    """The branch that ends with the newest message, or with the input that is being answered. 5 queries.

    Only where each message stands is read of all of them; their contents are read of ``limit``.

    Raises:
        BadCursor: it is no cursor of this conversation.
    """
    open_run_id = open_runs([conversation.pk]).get(conversation.pk)
    path = _path_shown(conversation, open_run_id)
    list_name = f"messages {conversation.pk}"
    start, end = _window(cursor, list_name, limit, len(path))
    ids = [place.id for place in path[start:end]]
    rows = Message.objects.select_related("feedback").in_bulk(ids)
    messages = [rows[id] for id in ids if id in rows]
    runs = _runs_of(messages)
    return Thread(
        messages,
        runs,
        _beside(messages, runs),
        open_run_id,
        next=_cursor(list_name, path[end - 1], is_newer=True) if ids and end < len(path) else None,
        previous=_cursor(list_name, path[start], is_newer=False) if ids and start else None,
    )


def _runs_of(messages: list[Message]) -> list[Run]:
    """1 query."""
    rows = Run.objects.filter(pk__in={message.run_id for message in messages}).only(*RUN_COLUMNS)
    return list(rows.annotate(was_rerouted=Exists(RunEvent.objects.filter(run=OuterRef("pk"), type=REROUTED))))


def _beside(messages: list[Message], runs: list[Run]) -> dict[UUID, Beside]:
    """1 query; none where no tool was called and no route changed."""
    called = {message.run_id for message in messages if message.run_id and message.role == Message.Role.TOOL}
    rerouted = {run.pk for run in runs if run.was_rerouted}  # type: ignore[attr-defined]
    kinds = (CALL_STARTED, CALL_COMPLETED, REROUTED)
    events = RunEvent.objects.filter(run_id__in=called | rerouted, type__in=kinds).order_by("run", "sequence")
    found: defaultdict[UUID, Beside] = defaultdict(Beside)
    for run_id, kind, data in events.values_list("run_id", "type", "data"):
        found[run_id].see(kind, data)
    return found


def _path_shown(conversation: Conversation, open_run_id: UUID | None) -> list[MessagePlace]:
    """1 query."""
    columns = ("id", "parent_id", "run_id", "position")
    found = Message.objects.filter(conversation=conversation).values_list(*columns)
    places = {id: MessagePlace(id, *rest) for id, *rest in found}
    unanswered = next((place.id for place in places.values() if open_run_id and place.run_id == open_run_id), None)
    return path_to(unanswered or conversation.head, places)


def _window(cursor: str, list_name: str, limit: int, length: int) -> tuple[int, int]:
    """Where on the path the page begins and ends that ``cursor`` asks for."""
    if not cursor:
        return 0, limit
    place = cursor_decode(cursor, page=list_name, queryset=Message.objects.all(), order=_BY_POSITION)
    at = max(0, min(place.first, length))
    return (at + 1, at + 1 + limit) if place.is_newer else (max(0, at - limit), at)


def _cursor(list_name: str, place: MessagePlace, *, is_newer: bool) -> str:
    return Cursor(page=list_name, first=place.position, second=place.id, is_newer=is_newer).encode()


def history_load(conversation_id: UUID, *, run_id: UUID) -> list[kernel.Message]:
    """What a model may read of the conversation before this run's input, oldest first. 1 query."""
    columns = ("id", "parent_id", "run_id", "role", "contents", "author_name")
    rows = Message.objects.filter(conversation_id=conversation_id).only(*columns)
    return for_model((row.run_id, row.as_kernel()) for row in before_run(run_id, rows))
