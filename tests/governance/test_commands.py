"""The commands: seeding only where nobody's records are, trimming only what has had its time."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.utils import timezone

from agentcore.ids import uuid7
from agentcore.models import Run, RunEvent
from agentcore.observers import ModelCallFinished, RunEnded, RunStarted
from governance.models import AuditEvent, DailyModelUsage, ModelCall, Turn
from governance.services import retention
from governance.services.audit import audit_record
from governance.services.ledger import ledger_record

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def called(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def test_a_seeded_ledger_looks_like_a_site() -> None:
    assert "turns added: 400" in called("seed_ledger", "--turns", "400")

    assert Turn.objects.count() == 400
    for field, least in (("username", 5), ("agent", 3), ("route_model", 6), ("route_provider_id", 4), ("currency", 2)):
        assert Turn.objects.order_by().values(field).distinct().count() >= least
    assert Turn.objects.filter(status="failed").exclude(error_code="").exists()
    assert Turn.objects.filter(cost=None).exists()
    weeks = Turn.objects.latest("started_at").started_at - Turn.objects.earliest("started_at").started_at
    assert weeks > timedelta(weeks=6)
    assert not Turn.objects.filter(started_at__gt=timezone.now()).exists()
    assert DailyModelUsage.objects.exists()
    assert ModelCall.objects.count() == sum(Turn.objects.values_list("model_calls", flat=True))
    assert AuditEvent.objects.filter(action="tool_call").count() == sum(
        Turn.objects.values_list("tool_calls", flat=True)
    )


def test_seeding_refuses_where_real_turns_are(ended: RunEnded) -> None:
    ledger_record(uuid7(), [ended])

    with pytest.raises(CommandError, match="--force"):
        called("seed_ledger", "--turns", "5")

    assert Turn.objects.count() == 1
    called("seed_ledger", "--turns", "5", "--force")
    assert Turn.objects.count() == 6


def test_seeding_may_be_repeated() -> None:
    called("seed_ledger", "--turns", "5")
    called("seed_ledger", "--turns", "7")

    assert Turn.objects.count() == 12


@pytest.mark.parametrize("turns", ["0", "-1", "x", "1e3", "99999999999", "²"])
def test_a_senseless_number_of_turns_is_refused(turns: str) -> None:
    with pytest.raises(CommandError, match="whole number"):
        called("seed_ledger", f"--turns={turns}")


@pytest.fixture
def aged(ended: RunEnded, call_finished: ModelCallFinished) -> Callable[..., Run]:
    """``aged(days)``: a turn of that age with a call, an audit and a run with an event."""

    def make(days: int, **changes: Any) -> Run:
        at = timezone.now() - timedelta(days=days)
        begun: RunStarted = replace(ended.started, at=at)
        user = User.objects.get_or_create(username="demo")[0]
        run = Run.objects.create(user=user, agent="assistant", **({"status": "completed"} | changes))
        Run.objects.filter(pk=run.pk).update(created_at=at)
        RunEvent.objects.create(run=run, sequence=0, type="RunStarted", data={}, created_at=at)
        told = [begun] if changes else [begun, call_finished, replace(ended, started=begun)]
        ledger_record(run.pk, told)
        audit_record(run.pk, told)
        return run

    return make


def rows_left() -> dict[str, int]:
    return {model.__name__: model.objects.count() for model in (Turn, ModelCall, AuditEvent, RunEvent, Run)}


def test_a_trim_takes_what_is_older_and_nothing_else(aged: Callable[..., Run]) -> None:
    for days in (1, 100, 200, 300):
        aged(days)

    told = called("trim_governance")

    assert "older than 180 days, deleted" in told
    assert "turns 2, model calls 2" in told
    assert "audit events 4, run events 2" in told
    assert rows_left() == {"Turn": 2, "ModelCall": 2, "AuditEvent": 4, "RunEvent": 2, "Run": 4}
    assert "turns 0, model calls 0" in called("trim_governance")


def test_a_dry_run_counts_the_same_and_deletes_nothing(aged: Callable[..., Run]) -> None:
    for days in (1, 40, 50):
        aged(days)
    before = rows_left()

    told = called("trim_governance", "--days", "30", "--dry-run")

    assert "would be deleted" in told
    assert "turns 2, model calls 2" in told
    assert "audit events 4, run events 2" in told
    assert rows_left() == before


def test_a_turn_that_has_not_ended_stays_whole(aged: Callable[..., Run]) -> None:
    aged(400, status="waiting_permission")

    called("trim_governance")

    assert rows_left() == {"Turn": 1, "ModelCall": 0, "AuditEvent": 1, "RunEvent": 1, "Run": 1}


def test_a_trim_works_in_batches(aged: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "TURNS_A_BATCH", 2)
    monkeypatch.setattr(retention, "EVENTS_A_BATCH", 2)
    for _number in range(5):
        aged(400)

    assert "turns 5, model calls 5" in called("trim_governance")
    assert rows_left() == {"Turn": 0, "ModelCall": 0, "AuditEvent": 0, "RunEvent": 0, "Run": 5}


def test_the_setting_says_how_long(aged: Callable[..., Run], settings: Any) -> None:
    settings.STEWARD = {"RETENTION_DAYS": 10}
    aged(20)

    assert "older than 10 days" in called("trim_governance")
    assert not Turn.objects.exists()


@pytest.mark.parametrize("days", ["0", "-1", "x", "1.5", "999999", "²"])
def test_senseless_days_are_refused(days: str) -> None:
    with pytest.raises(CommandError, match="whole number"):
        called("trim_governance", f"--days={days}")
