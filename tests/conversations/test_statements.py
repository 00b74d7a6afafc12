"""How many SQL statements a turn costs, from the frame on the socket to the last row of its record."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from asgiref.sync import SyncToAsync
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

from agentcore.models import AgentRoute, Provider, RunEvent
from agentcore.pool import close_pools
from agentcore.runs.runtime import Runtime
from conversations.models import Message
from tests.conversations.conftest import Socket
from tests.fake_upstream import Answer, FakeUpstream, Received, said

pytestmark = pytest.mark.database

NO_STATEMENT = re.compile(r"^(BEGIN|COMMIT|SAVEPOINT|RELEASE|ROLLBACK|PRAGMA|SET|SELECT set_config)", re.IGNORECASE)
EVENTS = re.compile(r'^INSERT INTO "agentcore_runevent"')
# Whoever asked to stop, and the leases: they come by the clock.
HEARTBEAT = re.compile(
    r'^(SELECT "agentcore_run"."id".*"cancel_requested"|UPDATE "agentcore_run" SET "lease_expires_at")'
)


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    """The watch of logins has a rhythm of its own, whatever a turn does. And the recorder makes many small batches."""
    monkeypatch.setattr("conversations.watch.EVERY_S", 3600)
    settings.STEWARD = {"ALLOW_PRIVATE_PROVIDER_URLS": True, "EVENT_COALESCE_MS": 1}


class Statements(list[str]):
    """The statements of every connection that is opened while they are counted, in order."""

    def watch(self, connection: BaseDatabaseWrapper, **_: Any) -> None:
        # One that comes back from a pool is watched already.
        if self._seen not in connection.execute_wrappers:
            connection.execute_wrappers.append(self._seen)

    def _seen(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if not NO_STATEMENT.match(sql) and not HEARTBEAT.match(sql):
            self.append(sql)
        return execute(sql, params, many, context)


def close_connections() -> None:
    """Those of the pools, and that of Django's own async queries: what is opened next is counted."""
    close_pools()
    SyncToAsync.single_thread_executor.submit(connections.close_all).result()


@contextmanager
def counting(statements: Statements) -> Iterator[None]:
    close_connections()
    connection_created.connect(statements.watch)
    try:
        yield
    finally:
        connection_created.disconnect(statements.watch)
        close_connections()


def beside_the_recorder(statements: list[str]) -> list[str]:
    """All but the recorder's batches. The first event is none of them: it opens the run."""
    events = [number for number, sql in enumerate(statements) if EVENTS.match(sql)]
    return [sql for number, sql in enumerate(statements) if number not in events[1:]]


async def turn(socket: Socket, text: str, conversation_id: str | None = None) -> str:
    await socket.say(type="send", text=text, send_id=text[:20], conversation_id=conversation_id)
    frame = await socket.told()
    assert frame["type"] == "accepted", frame
    await socket.told_until_end()
    return str(frame["conversation_id"])


@pytest.mark.parametrize(("tokens", "batches"), [(1, 3), (500, 40)])
async def test_plain_turn_stays_within_its_statements_however_many_batches_it_has(
    alices: Socket, process: Runtime, tokens: int, batches: int
) -> None:
    statements = Statements()
    at_the_wire: list[int] = []

    def answer(request: Received) -> Answer:
        at_the_wire.append(len(statements))
        return replace(said(*["word "] * tokens), pause_s=0.001)

    async with FakeUpstream(answer) as upstream:
        provider = await Provider.objects.acreate(
            slug="fake", provider_type="openai_chat", name="Fake", base_url=upstream.base_url, default_model="fake-1"
        )
        await AgentRoute.objects.all().aupdate(provider=provider)
        conversation_id = await turn(alices, "first")
        await process.engine.drain()
        with counting(statements):
            await turn(alices, "second", conversation_id)
            await process.engine.drain()

    before_the_wire = statements[: at_the_wire[1]]
    whole = beside_the_recorder(statements)
    assert len(statements) - len(whole) >= batches
    assert len(before_the_wire) <= 12, "\n".join(before_the_wire)
    assert len(whole) <= 30, "\n".join(whole)


async def test_2000_deltas_make_at_most_120_rows_whose_text_is_what_was_said(
    alices: Socket, process: Runtime, settings: Any
) -> None:
    await alices.say(type="send", text="/stream 2000", send_id="many")
    run_id = (await alices.told())["run_id"]
    shown = await alices.told_until_end()

    stored = [row.data["text"] async for row in RunEvent.objects.filter(run_id=run_id, type="TextDelta")]
    whole = "".join(f"w{number} " for number in range(1, 2001))
    assert len(stored) <= 120
    assert "".join(stored) == whole
    assert "".join(event["data"]["text"] for event in shown if event["type"] == "TextDelta") == whole
    assert (await Message.objects.aget(run_id=run_id, role="assistant")).text == whole
