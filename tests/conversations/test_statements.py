"""How many SQL statements a turn costs, from the frame on the socket to the last row of its record."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

from agentcore.models import AgentRoute, Provider
from agentcore.pool import close_pools
from agentcore.runs.runtime import Runtime
from tests.conversations.conftest import Socket
from tests.fake_upstream import Answer, FakeUpstream, Received, said

pytestmark = pytest.mark.database

NO_STATEMENT = re.compile(r"^(BEGIN|COMMIT|SAVEPOINT|RELEASE|ROLLBACK|PRAGMA|SET|SELECT set_config)", re.IGNORECASE)
RECORDER = re.compile(r'^INSERT INTO "agentcore_runevent"')


@pytest.fixture(autouse=True)
def _no_watch(monkeypatch: pytest.MonkeyPatch) -> None:
    """The watch of logins has a rhythm of its own, whatever a turn does."""
    monkeypatch.setattr("conversations.watch.EVERY_S", 3600)


class Statements(list[str]):
    """The statements of every connection that is opened while they are counted, in order."""

    def watch(self, connection: BaseDatabaseWrapper, **_: Any) -> None:
        connection.execute_wrappers.append(self._seen)

    def _seen(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if not NO_STATEMENT.match(sql):
            self.append(sql)
        return execute(sql, params, many, context)


@contextmanager
def counting(statements: Statements) -> Iterator[None]:
    close_pools()
    connection_created.connect(statements.watch)
    try:
        yield
    finally:
        connection_created.disconnect(statements.watch)
        close_pools()


async def turn(socket: Socket, text: str, conversation_id: str | None = None) -> str:
    await socket.say(type="send", text=text, send_id=text[:20], conversation_id=conversation_id)
    frame = await socket.told()
    assert frame["type"] == "accepted", frame
    await socket.told_until_end()
    return str(frame["conversation_id"])


@pytest.mark.parametrize("tokens", [1, 500])
async def test_plain_turn_stays_within_its_statements(
    alices: Socket, process: Runtime, settings: Any, tokens: int
) -> None:
    settings.STEWARD = {"ALLOW_PRIVATE_PROVIDER_URLS": True}
    statements = Statements()
    at_the_wire: list[int] = []

    def answer(request: Received) -> Answer:
        at_the_wire.append(len(statements))
        return said(*["word "] * tokens)

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

    whole = [sql for sql in statements if not RECORDER.match(sql)]
    assert at_the_wire[1] <= 12, "\n".join(statements[: at_the_wire[1]])
    assert len(whole) <= 30, "\n".join(whole)
