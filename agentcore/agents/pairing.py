"""Pairing: every tool call of a history has exactly one result, right behind it."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from agentcore.messages import CallStatus, FunctionCallContent, FunctionResultContent, Message, Role

# Read by models, not by people: not translated, so that the prompt's prefix stays the same.
UNANSWERED = {"code": "TOOL_FAILED", "message": "cancelled: the call was stopped before it had a result"}


def paired(messages: Iterable[Message]) -> list[Message]:
    """``messages`` as a model may be sent them.

    The results of an assistant message's calls follow it directly, in the order of the calls; a call without a result
    gets one that says it was cancelled; a result without a call, or a second one, is dropped, and so is a message
    that is left with nothing.
    """
    history = list(messages)
    results = _results_by_call(history)
    repaired: list[Message] = []
    for place, message in enumerate(history):
        if (kept := _without_results(message)) is not None:
            repaired.append(kept)
            if message.calls:
                repaired.append(_results_message(message, results[place]))
    return repaired


def _results_by_call(history: Sequence[Message]) -> dict[int, list[FunctionResultContent | None]]:
    """For each message with calls, by its place, the result of each call, or None.

    An id that comes again in another turn belongs to the last call before the result that has none yet.
    """
    found: dict[int, list[FunctionResultContent | None]] = {}
    waiting: dict[str, list[tuple[int, int]]] = {}
    for place, message in enumerate(history):
        for result in message.results:
            if open_calls := waiting.get(result.call_id):
                at, number = open_calls.pop()
                found[at][number] = result
        if message.calls:
            found[place] = [None] * len(message.calls)
            for number, call in reversed(list(enumerate(message.calls))):
                waiting.setdefault(call.call_id, []).append((place, number))
    return found


def _without_results(message: Message) -> Message | None:
    contents = tuple(content for content in message.contents if not isinstance(content, FunctionResultContent))
    if len(contents) == len(message.contents) and message.role is not Role.TOOL:
        return message
    return replace(message, contents=contents) if contents and message.role is not Role.TOOL else None


def _results_message(asking: Message, results: Sequence[FunctionResultContent | None]) -> Message:
    settled = tuple(result or _cancelled(call) for call, result in zip(asking.calls, results, strict=True))
    # The id is derived, not random: the same history makes the same request.
    return Message(role=Role.TOOL, contents=settled, source=asking.source, id=f"{asking.id}.results")


def _cancelled(call: FunctionCallContent) -> FunctionResultContent:
    return FunctionResultContent(call.call_id, call.name, None, CallStatus.CANCELLED, dict(UNANSWERED))
