"""The database says which constraint refused a row, on either database, and nobody guesses; and who waits for whom."""

from collections.abc import Callable
from contextlib import closing
from typing import Any
from uuid import UUID

import pytest
from django.db import IntegrityError, connection, transaction

from agentcore.clock import CLOCK
from agentcore.constraints import constraint_of
from agentcore.events import Event, EventType
from agentcore.ids import uuid7
from agentcore.models import Run, RunEvent
from agentcore.runs.requests import RunRequest
from agentcore.runs.runtime import Runtime
from agentcore.runs.service import start_run
from agentcore.services.events import RunBatch, batches_append
from agentcore.services.leases import LeaseLost, lease_end, leases_renew

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]

CONVERSATION = UUID(int=1)


def opened(user: Any, **fields: Any) -> Run:
    return Run.objects.create(user=user, username="ada", agent="assistant", status="running", **fields)


def batch(run_id: UUID, sequence: int = 0) -> RunBatch:
    return RunBatch(run_id, [Event(run_id, sequence, EventType.STEP_STARTED, CLOCK.now(), {})], [])


def twice_open(user: Any) -> None:
    for _ in range(2):
        opened(user, conversation_id=CONVERSATION)


def twice_sent(user: Any) -> None:
    for _ in range(2):
        opened(user, send_id="s1")


def twice_numbered(user: Any) -> None:
    run = opened(user)
    for _ in range(2):
        RunEvent.objects.create(run=run, sequence=0, type="x", data={}, created_at=CLOCK.now())


def without_a_time(user: Any) -> None:
    RunEvent.objects.create(run=opened(user), sequence=0, type="x", data={})


@pytest.mark.parametrize(
    ("offence", "name"),
    [
        (twice_open, "run_one_open_in_conversation"),
        (twice_sent, "run_send_id_once"),
        (twice_numbered, "run_event_sequence_once"),
        (without_a_time, None),
    ],
)
def test_constraint_of_names_what_refused_the_row(user: Any, offence: Callable[[Any], None], name: str | None) -> None:
    with pytest.raises(IntegrityError) as refusal, transaction.atomic():
        offence(user)

    assert constraint_of(refusal.value) == name


def test_event_whose_number_is_taken_is_a_lost_lease(user: Any) -> None:
    run = opened(user)
    batches_append([batch(run.id)])

    with pytest.raises(LeaseLost):
        batches_append([batch(run.id)])


def test_event_of_no_run_is_no_lost_lease() -> None:
    with pytest.raises(IntegrityError):
        batches_append([batch(uuid7())])


async def test_row_that_is_refused_for_another_reason_is_no_busy_conversation(
    process: Runtime, user: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await start_run(RunRequest.parse({"input": "hi"}), user=user)
    await process.engine.drain()
    monkeypatch.setattr("agentcore.services.runs.uuid7", lambda: first.run_id)

    with pytest.raises(IntegrityError):
        await start_run(RunRequest.parse({"input": "hi"}), user=user)


@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="PostgreSQL only")
def test_renewal_of_leases_waits_for_no_run_that_is_being_ended(user: Any) -> None:
    soon = lease_end()
    runs = [opened(user, owner="o", lease_expires_at=soon) for _ in range(2)]
    with closing(connection.get_new_connection(connection.get_connection_params())) as ending:
        ending.autocommit = False
        ending.execute("UPDATE agentcore_run SET output = 'x' WHERE id = %s", [runs[1].id])
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '2s'")
        leases_renew([run.id for run in runs], owner="o")
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = 0")
        ending.rollback()

    renewed = [Run.objects.get(id=run.id).lease_expires_at for run in runs]
    assert renewed[0] != soon
    assert renewed[1] == soon
