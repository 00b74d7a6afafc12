"""How a run looks on a terminal."""

import json
from datetime import UTC, datetime
from io import StringIO
from typing import Any
from uuid import UUID

import pytest
from django.core.management.base import OutputWrapper

from agentcore.events import Event, EventType
from agentcore.management.transcript import Transcript


def shown(*events: tuple[EventType, dict[str, Any]], as_json: bool = False) -> tuple[str, str]:
    """What the two streams hold after the events."""
    out, aside = StringIO(), StringIO()
    transcript = Transcript(OutputWrapper(out), OutputWrapper(aside), as_json=as_json)
    for sequence, (kind, data) in enumerate(events):
        transcript.show([Event(UUID(int=1), sequence, kind, datetime(2026, 1, 2, tzinfo=UTC), data)])
    return out.getvalue(), aside.getvalue()


def delta(text: str, message_id: str = "m") -> tuple[EventType, dict[str, Any]]:
    return EventType.TEXT_DELTA, {"message_id": message_id, "text": text}


def whole(text: str, message_id: str = "m") -> tuple[EventType, dict[str, Any]]:
    return EventType.MESSAGE_COMPLETED, {"message_id": message_id, "text": text}


@pytest.mark.parametrize(
    ("events", "text"),
    [
        ([delta("a "), delta("b"), whole("a b")], "a b\n"),
        ([delta("a "), whole("a b")], "a b\n"),
        ([whole("a b")], "a b\n"),
        ([delta("a\n"), whole("a\n")], "a\n"),
        ([delta("a"), whole("a"), delta("b", "n"), whole("b", "n")], "a\nb\n"),
        ([delta("half"), (EventType.RUN_RESUMED, {"step": 1, "discard": ["m"]}), delta("all", "n")], "half\nall"),
        ([(EventType.REASONING_DELTA, {"message_id": "r", "text": "hm"})], ""),
    ],
)
def test_out_holds_the_text_alone(events, text):
    assert shown(*events) == (text, "")


CALL = {"call_id": "c", "name": "find", "arguments": {"a": 1}, "category": "", "effect": "read", "summary": ""}
DONE = {"call_id": "c", "name": "find", "status": "done", "result": [1], "error": None}
FAILED = DONE | {"status": "failed", "result": None, "error": {"code": "TOOL_FAILED", "message": "No."}}
FAR, NEAR = {"provider_id": "far", "model": "m-1"}, {"provider_id": "near", "model": "m-2"}
CHANGED = {"from": FAR, "to": NEAR, "reason": "PROVIDER_CREDENTIAL_MISSING", "discard": None, "omitted": []}


@pytest.mark.parametrize(
    ("event", "line"),
    [
        ((EventType.TOOL_CALL_STARTED, CALL), '> find {"a": 1}\n'),
        ((EventType.TOOL_CALL_STARTED, CALL | {"summary": "Find it"}), "> find Find it\n"),
        ((EventType.TOOL_CALL_COMPLETED, DONE), "< find done: [1]\n"),
        ((EventType.TOOL_CALL_COMPLETED, FAILED), "< find failed: No.\n"),
        ((EventType.ROUTE_CHANGED, CHANGED), "! No key is set for far/m-1. near/m-2 takes over.\n"),
        ((EventType.RUN_FAILED, {"error": {"code": "X", "message": "Oh"}}), "! X: Oh\n"),
        ((EventType.RUN_CANCELLED, {"reason": "user"}), "! Stopped.\n"),
        ((EventType.GUARDRAIL_BLOCKED, {"message": "Not this."}), "! Not this.\n"),
    ],
)
def test_aside_holds_the_rest(event, line):
    assert shown(delta("half"), event) == ("half\n", line)
    out, aside = shown(event, as_json=True)
    assert (json.loads(out)["type"], aside) == (event[0].value, line)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"reason": "PROVIDER_TIMEOUT", "discard": "m"}, "far/m-1 took too long. near/m-2 starts the answer anew."),
        (
            {"to": FAR, "reason": "PROVIDER_BAD_RESPONSE", "discard": "m"},
            "far/m-1 gave no complete answer. The answer starts anew.",
        ),
        (
            {"to": FAR, "reason": "CAPABILITY_MISSING", "omitted": ["tools"]},
            "This model cannot use tools: it answers from what it knows.",
        ),
        (
            {"reason": "PROVIDER_UNAVAILABLE", "omitted": ["images"]},
            "far/m-1 cannot be reached. near/m-2 takes over. Pictures that this model cannot see were left out.",
        ),
        ({"reason": "SOMETHING_NEW"}, "far/m-1 did not answer. near/m-2 takes over."),
    ],
)
def test_a_change_of_route_is_told_in_words(change, words):
    assert shown((EventType.ROUTE_CHANGED, CHANGED | change)) == ("", f"! {words}\n")
