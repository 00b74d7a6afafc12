"""A run's text belongs to its owner: what anybody else reads of an event says nothing of what was said."""

from typing import Any

import pytest

from agentcore.events import EventType
from governance.pages.withholding import facts_of

CANARY = "canary text"
FRAMES = 'Traceback (most recent call last):\n  File "tools.py", line 1, in find\n'

# Every field that may hold what a person or a model said, by the type of its event.
TEXTS: dict[str, dict[str, Any]] = {
    "RunStarted": {"input": CANARY},
    "TextDelta": {"text": CANARY},
    "ReasoningDelta": {"text": CANARY},
    "MessageCompleted": {"text": CANARY},
    "ToolCallStarted": {"arguments": {"a": {"b": [CANARY]}}, "summary": CANARY},
    "PermissionRequired": {"arguments": {"a": CANARY}, "summary": CANARY},
    "ToolCallCompleted": {
        "result": {"a": CANARY},
        "for_ui": [CANARY],
        "error": {"code": "TOOL_FAILED", "message": CANARY},
        "detail": f"{FRAMES}ValueError: {CANARY}",
    },
    "Citation": {"source": CANARY, "title": CANARY, "url": CANARY, "snippet": CANARY},
    "GuardrailBlocked": {"message": CANARY},
    "RunCompleted": {"output": CANARY},
    "RunFailed": {"output": CANARY, "error": {"code": "INTERNAL_ERROR", "message": CANARY}},
    "RunCancelled": {"output": CANARY, "reason": CANARY},
    "a type of tomorrow": {"anything": CANARY, "reason": f"user {CANARY}", "detail": CANARY},
}


@pytest.mark.parametrize("type", TEXTS)
def test_others_read_no_text(type: str) -> None:
    facts = facts_of(TEXTS[type], may_read=False)

    assert CANARY not in str(facts)
    assert [fact.name for fact in facts] == list(TEXTS[type])
    assert all(fact.length for fact in facts)


@pytest.mark.parametrize("type", TEXTS)
def test_the_owner_reads_all_of_it(type: str) -> None:
    facts = facts_of(TEXTS[type], may_read=True)

    assert all(CANARY in fact.text for fact in facts)


def test_what_happened_is_plain() -> None:
    data = {
        "name": "system.echo",
        "status": "failed",
        "error": {"code": "TOOL_FAILED", "message": "x"},
        "detail": f"{FRAMES}ConnectionError: no route",
        "reason": "PROVIDER_TIMEOUT",
        "usage": {"input_tokens": 3, "output_tokens": 0},
        "empty": None,
    }

    assert [(fact.name, fact.text) for fact in facts_of(data, may_read=False)] == [
        ("name", "system.echo"),
        ("status", "failed"),
        ("error", "TOOL_FAILED"),
        ("detail", "ConnectionError"),
        ("reason", "PROVIDER_TIMEOUT"),
        ("usage", "input_tokens 3"),
    ]


def test_every_type_with_text_is_covered() -> None:
    without_text = {
        *("RunResumed", "StepStarted", "PermissionResolved", "RouteChanged", "ContextCompacted", "UsageReported"),
    }

    assert {type.value for type in EventType} - without_text <= set(TEXTS)
