"""The audit's rows: numbered without a gap, each happening once, masked."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from agentcore.ids import uuid7
from agentcore.messages import CallStatus
from agentcore.models import Credential
from agentcore.observers import (
    ApprovalAsked,
    ApprovalDecided,
    GuardrailHit,
    Observation,
    RunEnded,
    RunStarted,
    ToolCallFinished,
    ToolCallStarted,
)
from agentcore.services.credentials import credential_store
from agentcore.services.redaction import FRESH_S, redactor_forget
from agentcore.testing import ManualClock
from governance.models import AuditEvent, Turn
from governance.services.audit import audit_record
from governance.services.ledger import ledger_record

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def rows(run_id: UUID) -> list[tuple[int, str]]:
    return list(AuditEvent.objects.filter(run_id=run_id).order_by("seq").values_list("seq", "action"))


@pytest.fixture
def tool_batch(started: RunStarted) -> list[Observation]:
    at = started.at + timedelta(milliseconds=20)
    call = {"at": at, "step": 1, "call_id": "c1", "name": "system.echo"}
    return [
        ToolCallStarted(**call, arguments={"text": "hello", "api_key": "canary"}, effect="read", category="system"),
        ToolCallFinished(
            **call, status=CallStatus.DONE, result={"text": "hello"}, error=None, duration_ms=3, detail=""
        ),
    ]


def test_a_turn_is_told_in_order(
    run_id: UUID, started: RunStarted, tool_batch: list[Observation], ended: RunEnded
) -> None:
    for batch in ([started], tool_batch, [ended]):
        ledger_record(run_id, batch)
        audit_record(run_id, batch)

    assert rows(run_id) == [(0, "request"), (1, "tool_call"), (2, "tool_result"), (3, "stop")]
    assert Turn.objects.get().audit_seq == 4


def test_the_same_batches_again_add_nothing_and_leave_no_gap(
    run_id: UUID, started: RunStarted, tool_batch: list[Observation], ended: RunEnded
) -> None:
    for batch in ([started], [started], tool_batch[:1], tool_batch, tool_batch, [started, *tool_batch, ended], [ended]):
        audit_record(run_id, batch)

    assert rows(run_id) == [(0, "request"), (1, "tool_call"), (2, "tool_result"), (3, "stop")]
    assert Turn.objects.get().audit_seq == 4


def test_the_end_alone_tells_request_error_and_stop(run_id: UUID, failed: Callable[..., RunEnded]) -> None:
    audit_record(run_id, [failed()])

    assert rows(run_id) == [(0, "request"), (1, "error"), (2, "stop")]


def test_the_request_keeps_its_number_when_it_comes_late(
    run_id: UUID, tool_batch: list[Observation], ended: RunEnded
) -> None:
    audit_record(run_id, tool_batch)
    audit_record(run_id, [ended])

    assert rows(run_id) == [(0, "request"), (1, "tool_call"), (2, "tool_result"), (3, "stop")]
    assert Turn.objects.get().agent == ""  # the ledger's own observer fills it in


def test_a_turn_that_the_audit_had_to_make_is_made_whole_by_the_ledger(
    run_id: UUID, tool_batch: list[Observation], ended: RunEnded
) -> None:
    audit_record(run_id, tool_batch)
    ledger_record(run_id, [ended])

    turn = Turn.objects.get()
    assert (turn.username, turn.status, turn.started_at) == ("demo", "completed", ended.started.at)
    assert turn.audit_seq == 3


@pytest.mark.parametrize("reason", ["user", "superseded", "shutdown"])
def test_a_stop_says_its_cause(run_id: UUID, ended: RunEnded, reason: str) -> None:
    audit_record(run_id, [replace(ended, status="cancelled", finish_reason="", cancel_reason=reason)])

    stop = AuditEvent.objects.get(action="stop")
    assert (stop.payload["status"], stop.payload["cancel_reason"]) == ("cancelled", reason)
    assert stop.actor == ("system" if reason == "shutdown" else "demo")


def test_an_approval_is_two_events_with_who_decided(run_id: UUID, started: RunStarted) -> None:
    named: dict[str, Any] = {"at": started.at, "request_id": "r1", "call_id": "c1", "tool": "create_booking"}
    asked = ApprovalAsked(**named, permission="travel.book", arguments={"flight_no": "AB1"})
    decided = ApprovalDecided(**named, decision="deny", decided_by="operator", reason="too dear")

    audit_record(run_id, [asked])
    audit_record(run_id, [decided])

    assert [(event.action, event.actor) for event in AuditEvent.objects.order_by("seq")] == [
        ("approval", "agent"),
        ("approval", "operator"),
    ]


def test_two_hits_of_one_guardrail_are_two_events(run_id: UUID, started: RunStarted) -> None:
    hit = GuardrailHit(at=started.at, guardrail="words", stage="input", message="")

    audit_record(run_id, [hit, replace(hit, at=hit.at + timedelta(microseconds=1))])

    assert AuditEvent.objects.filter(action="guardrail").count() == 2


def test_payloads_are_masked(run_id: UUID, started: RunStarted, tool_batch: list[Observation]) -> None:
    asked = replace(started, input="My key is sk-canary1234567890, url https://me:canary@host/")

    audit_record(run_id, [asked, *tool_batch])

    stored = json.dumps(list(AuditEvent.objects.values_list("payload", flat=True)))
    assert "canary" not in stored
    assert "hello" in stored


def test_a_huge_payload_is_cut(run_id: UUID, started: RunStarted) -> None:
    audit_record(run_id, [replace(started, input="x" * 1_000_000, config={"tools": list(range(10_000))})])

    assert len(json.dumps(AuditEvent.objects.get().payload)) < 20_000


def test_unstorable_payloads_are_stored(run_id: UUID, started: RunStarted) -> None:
    audit_record(run_id, [replace(started, input="a\x00b\ud800", config={"n": float("nan"), "k\x00": object()})])

    assert AuditEvent.objects.count() == 1


def test_a_stored_credential_is_masked_at_once(run_id: UUID, started: RunStarted) -> None:
    audit_record(uuid7(), [started])
    credential_store("openai", "canaryvalue")

    audit_record(run_id, [replace(started, input="they said canaryvalue, aloud")])

    assert AuditEvent.objects.get(run_id=run_id).payload["input"] == "they said [redacted], aloud"


def test_a_credential_that_another_process_stored_is_masked_soon(
    run_id: UUID, started: RunStarted, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = ManualClock()
    monkeypatch.setattr("agentcore.services.redaction.CLOCK", clock)
    redactor_forget()
    audit_record(uuid7(), [started])
    row = credential_store("openai", "canaryvalue")
    Credential.objects.all().delete()
    audit_record(uuid7(), [started])
    Credential.objects.bulk_create([row])
    clock.advance(FRESH_S + 1)

    audit_record(run_id, [replace(started, input="canaryvalue")])

    assert AuditEvent.objects.get(run_id=run_id).payload["input"] == "[redacted]"
