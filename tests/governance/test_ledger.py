"""The ledger's rows: whole, once, whatever order and however often the observations come."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agentcore.chat import Route
from agentcore.messages import Usage
from agentcore.observers import Cost, ModelCallFinished, ModelCallStarted, RunEnded, RunStarted
from agentcore.services.redaction import redactor
from governance.models import AuditEvent, ModelCall, Turn
from governance.observers import AuditObserver, LedgerObserver
from governance.services import rollups
from governance.services.audit import audit_record
from governance.services.ledger import ledger_record
from governance.services.turns import turn_ensure, turn_put
from tests.governance.conftest import AT

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def statements(captured: CaptureQueriesContext) -> list[str]:
    return [
        query["sql"]
        for query in captured.captured_queries
        if not query["sql"].startswith(("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE", "ROLLBACK"))
    ]


def facts(run_id: UUID) -> dict[str, Any]:
    return Turn.objects.filter(run_id=run_id).values().get()


def test_a_plain_turn_makes_one_whole_row(
    run_id: UUID,
    started: RunStarted,
    call_started: ModelCallStarted,
    call_finished: ModelCallFinished,
    ended: RunEnded,
) -> None:
    ledger_record(run_id, [started, call_started])
    ledger_record(run_id, [call_finished, ended])

    turn = Turn.objects.get()
    assert (turn.run_id, turn.username, turn.status, turn.model) == (run_id, "demo", "completed", "mock-1")
    assert (turn.input_tokens, turn.cached_input_tokens, turn.output_tokens) == (12, 4, 5)
    assert (turn.cost, turn.duration_ms, turn.started_at) == (Decimal("0.0000125"), 1000, started.at)
    call = ModelCall.objects.get()
    assert (call.outcome, call.first_token_ms, call.prices) == ("ok", 80, {"input": "1", "output": "2"})
    assert call.started_at == call_started.at


def test_a_plain_turn_stays_in_its_budget_of_statements(  # noqa: PLR0917
    monkeypatch: pytest.MonkeyPatch,
    run_id: UUID,
    started: RunStarted,
    call_started: ModelCallStarted,
    call_finished: ModelCallFinished,
    ended: RunEnded,
) -> None:
    monkeypatch.setattr(rollups, "today", AT.date)
    redactor()  # it reads the credentials twice a minute, not once a turn
    with CaptureQueriesContext(connection) as before_the_wire:
        ledger_record(run_id, [started, call_started])
        audit_record(run_id, [started, call_started])
    with CaptureQueriesContext(connection) as at_the_end:
        ledger_record(run_id, [call_finished, ended])
        audit_record(run_id, [call_finished, ended])

    assert len(statements(before_the_wire)) <= 3, statements(before_the_wire)
    assert len(statements(at_the_end)) <= 5, statements(at_the_end)


def test_the_same_batches_again_change_nothing(
    run_id: UUID,
    started: RunStarted,
    call_started: ModelCallStarted,
    call_finished: ModelCallFinished,
    ended: RunEnded,
) -> None:
    batches = [[started, call_started], [call_finished, ended]]
    for batch in batches:
        ledger_record(run_id, batch)
    before = facts(run_id), list(ModelCall.objects.values())

    for batch in [*batches, *reversed(batches)]:
        ledger_record(run_id, batch)

    assert (facts(run_id), list(ModelCall.objects.values())) == before


def test_the_end_alone_makes_the_same_turn(
    run_id: UUID, started: RunStarted, call_finished: ModelCallFinished, ended: RunEnded
) -> None:
    ledger_record(run_id, [ended])
    alone = facts(run_id)
    Turn.objects.all().delete()
    ledger_record(run_id, [started])
    ledger_record(run_id, [ended])

    assert facts(run_id) == alone


def test_an_attempt_whose_end_was_never_seen_is_interrupted(
    run_id: UUID, started: RunStarted, call_started: ModelCallStarted, failed: Callable[..., RunEnded]
) -> None:
    ledger_record(run_id, [started, call_started])
    unaware = failed(error={"code": "AGENT_PROCESS_RESTARTED", "message": ""}, model_calls=0)
    ledger_record(run_id, [unaware])

    assert ModelCall.objects.get().outcome == "interrupted"
    assert Turn.objects.get().error_code == "AGENT_PROCESS_RESTARTED"
    assert Turn.objects.get().model_calls == 1


def test_an_end_that_is_delivered_again_changes_nothing_of_an_interrupted_attempt(
    run_id: UUID, call_started: ModelCallStarted, failed: Callable[..., RunEnded]
) -> None:
    ledger_record(run_id, [call_started])
    unaware = failed(error={"code": "AGENT_PROCESS_RESTARTED", "message": ""}, model_calls=0)
    ledger_record(run_id, [unaware])
    before = facts(run_id), list(ModelCall.objects.values())

    ledger_record(run_id, [unaware])

    assert (facts(run_id), list(ModelCall.objects.values())) == before


def test_each_attempt_is_a_row_of_its_own(
    run_id: UUID, call_started: ModelCallStarted, call_finished: ModelCallFinished
) -> None:
    first = replace(call_finished, outcome="PROVIDER_TIMEOUT", retry_reason="")
    second = replace(call_finished, attempt=2, route=Route("other", "big"), retry_reason="PROVIDER_TIMEOUT")

    ledger_record(run_id, [call_started, first])
    ledger_record(run_id, [second])

    rows = list(ModelCall.objects.values_list("attempt", "provider_id", "outcome", "retry_reason"))
    assert rows == [(1, "mock", "PROVIDER_TIMEOUT", ""), (2, "other", "ok", "PROVIDER_TIMEOUT")]


def test_an_unknown_price_is_null(run_id: UUID, ended: RunEnded) -> None:
    ledger_record(run_id, [replace(ended, cost=Cost())])

    assert Turn.objects.get().cost is None


@pytest.mark.parametrize("tokens", [-5, 10**30])
def test_odd_numbers_lose_no_record(run_id: UUID, ended: RunEnded, tokens: int) -> None:
    usage = Usage(input_tokens=tokens, output_tokens=tokens)

    ledger_record(run_id, [replace(ended, usage=usage, cost=Cost(amount=Decimal(10) ** 30))])

    turn = Turn.objects.get()
    assert 0 <= turn.input_tokens <= 2**53
    assert turn.cost is None


def test_long_and_unstorable_text_loses_no_record(run_id: UUID, started: RunStarted) -> None:
    ledger_record(run_id, [replace(started, username="a\x00" * 200, requested=Route("p" * 99, "m\ud800" * 300))])

    turn = Turn.objects.get()
    assert (len(turn.username), len(turn.requested_model), len(turn.requested_provider_id)) == (150, 200, 64)


def test_the_ledger_holds_no_text_of_the_turn(run_id: UUID, started: RunStarted, ended: RunEnded) -> None:
    asked = replace(started, input="canary-of-the-input")

    ledger_record(run_id, [asked, replace(ended, started=asked)])

    assert "canary" not in str(facts(run_id))


@pytest.mark.django_db(transaction=True)
def test_both_observers_write_across_the_bridge(
    run_id: UUID, started: RunStarted, call_started: ModelCallStarted, ended: RunEnded
) -> None:
    async def tell() -> None:
        for batch in ([started, call_started], [ended], [ended]):
            await asyncio.gather(*(observer.observe(run_id, batch) for observer in (AuditObserver(), LedgerObserver())))

    asyncio.run(tell())

    assert Turn.objects.get().status == "completed"
    assert list(AuditEvent.objects.order_by("seq").values_list("seq", "action")) == [(0, "request"), (1, "stop")]


@pytest.mark.django_db(transaction=True)
def test_redeliveries_side_by_side_leave_one_record(run_id: UUID, ended: RunEnded) -> None:
    async def tell() -> None:
        await asyncio.gather(*(AuditObserver().observe(run_id, [ended]) for _delivery in range(8)))

    asyncio.run(tell())

    assert list(AuditEvent.objects.order_by("seq").values_list("seq", "action")) == [(0, "request"), (1, "stop")]
    assert Turn.objects.get().audit_seq == 2


@pytest.mark.parametrize("write", [turn_put, turn_ensure])
def test_a_turn_of_a_past_day_takes_its_day_first_whoever_writes_it(
    write: Callable[..., None], run_id: UUID, started: RunStarted
) -> None:
    with CaptureQueriesContext(connection) as queries:
        write(run_id, [started])

    assert [sql.split('"')[1] for sql in statements(queries)] == ["governance_usageday", "governance_turn"]
