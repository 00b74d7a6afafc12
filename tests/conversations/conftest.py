"""What a conversation needs: people with their logins, and sockets."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from channels.testing import WebsocketCommunicator
from django.conf import settings
from django.test import Client

from agentcore.runs.runtime import Runtime
from conversations.routing import websocket

ORIGIN = (b"origin", b"http://localhost")


class Socket(WebsocketCommunicator):
    """A browser's end of the socket, that speaks frames."""

    def __init__(self, client: Client | None = None, *headers: tuple[bytes, bytes]) -> None:
        cookies = (
            f"{settings.SESSION_COOKIE_NAME}={client.cookies[settings.SESSION_COOKIE_NAME].value}" if client else ""
        )
        super().__init__(websocket, "/ws/agent/", headers=[ORIGIN, (b"cookie", cookies.encode()), *headers])

    async def opened(self) -> "Socket":
        is_accepted, _subprotocol = await self.connect(timeout=5)
        assert is_accepted
        return self

    async def say(self, **frame: Any) -> None:
        await self.send_to(text_data=json.dumps(frame))

    async def told(self) -> dict[str, Any]:
        """The next frame, notices left out."""
        while (frame := json.loads(await self.receive_from(timeout=5)))["type"] == "conversation":
            pass
        return frame

    async def told_until_end(self) -> list[dict[str, Any]]:
        """The event envelopes up to the last one of a run."""
        events = []
        while not events or not events[-1]["type"].startswith(("RunCompleted", "RunFailed", "RunCancelled")):
            frame = await self.told()
            assert frame["type"] == "event", frame
            events.append(frame["event"])
        return events

    async def close_code(self) -> int:
        message = await self.receive_output(timeout=8)
        assert message["type"] == "websocket.close", message
        return message["code"]


@pytest.fixture
def alice(transactional_db: None, django_user_model: Any) -> Any:
    return django_user_model.objects.create_user("alice")


@pytest.fixture
def bob(transactional_db: None, django_user_model: Any) -> Any:
    return django_user_model.objects.create_user("bob")


def _logged_in(user: Any) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def alice_client(alice: Any) -> Client:
    return _logged_in(alice)


@pytest.fixture
def bob_client(bob: Any) -> Client:
    return _logged_in(bob)


@pytest_asyncio.fixture
async def alices(alice_client: Client, process: Runtime) -> AsyncIterator[Socket]:
    socket = await Socket(alice_client).opened()
    yield socket
    await socket.disconnect()


@pytest_asyncio.fixture
async def bobs(bob_client: Client, process: Runtime) -> AsyncIterator[Socket]:
    socket = await Socket(bob_client).opened()
    yield socket
    await socket.disconnect()
