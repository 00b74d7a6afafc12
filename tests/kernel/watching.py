"""Runs of the kernel and what is seen of them."""

from typing import Any

from agentcore.agents.context import Limits, RunContext
from agentcore.agents.journal import MemoryJournal
from agentcore.events import EventType


def run_of(**limits: Any) -> RunContext:
    return RunContext(limits=Limits(**limits))


def journal(run: RunContext) -> MemoryJournal:
    assert isinstance(run.journal, MemoryJournal)
    return run.journal


def shown(run: RunContext, type: EventType) -> list[dict[str, Any]]:
    return [data for kind, data in journal(run).events if kind is type]


def texts(run: RunContext) -> dict[str, str]:
    """The text of each message, by its id, as it stands on the screen in the end."""
    return {data["message_id"]: data["text"] for data in shown(run, EventType.MESSAGE_COMPLETED)}


def statuses(run: RunContext) -> dict[str, str]:
    return {data["call_id"]: data["status"] for data in shown(run, EventType.TOOL_CALL_COMPLETED)}


def assert_paired(run: RunContext, output: list[Any]) -> None:
    """Every call that was shown has one result, in the events and in the messages."""
    started = [data["call_id"] for data in shown(run, EventType.TOOL_CALL_STARTED)]
    completed = [data["call_id"] for data in shown(run, EventType.TOOL_CALL_COMPLETED)]
    asked = [item.call_id for message in output for item in message.calls]
    answered = [item.call_id for message in output for item in message.results]
    assert sorted(started) == sorted(completed) == sorted(asked) == sorted(answered)
