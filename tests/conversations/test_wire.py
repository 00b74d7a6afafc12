"""The wire: holding back for a reader that does not read, with a transport that says when it is full."""

import asyncio
import json
from functools import partial
from types import SimpleNamespace

import pytest

from agentcore.models import Run
from conversations import consumer
from conversations.consumer import AgentSocket
from conversations.wire import Wire


class Transport:
    """The part of Twisted's that matters: it has one producer, and tells it when to pause."""

    producer = None

    def registerProducer(self, producer, streaming):
        assert self.producer is None
        self.producer = producer

    def unregisterProducer(self):
        self.producer = None


@pytest.fixture
def transport():
    return Transport()


@pytest.fixture
def wire(transport):
    return Wire(partial(print, SimpleNamespace(transport=transport)))


async def test_room_waits_until_the_reader_has_taken_everything(wire, transport):
    transport.producer.pauseProducing()
    assert wire.is_full
    waiting = asyncio.ensure_future(wire.room())
    await asyncio.sleep(0)
    assert not waiting.done()
    transport.producer.resumeProducing()
    await asyncio.wait_for(waiting, 1)
    assert not wire.is_full


async def test_a_lost_connection_ends_the_waiting(wire, transport):
    transport.producer.pauseProducing()
    transport.producer.stopProducing()
    await asyncio.wait_for(wire.room(), 1)


async def test_release_lets_the_transport_close(wire, transport):
    wire.release()
    wire.release()
    assert transport.producer is None


async def test_other_servers_hold_back_by_themselves():
    async def send(message):
        """Any other ASGI server's."""

    await asyncio.wait_for(Wire(send).room(), 1)


async def test_a_socket_that_is_too_slow_carries_nothing_out_any_more(alice_client, process, transport, monkeypatch):
    monkeypatch.setattr(consumer, "SLOW_AFTER_S", 0.05)
    inbox, outbox = asyncio.Queue(), asyncio.Queue()
    protocol = SimpleNamespace(transport=transport)

    async def handle_reply(protocol, message):
        outbox.put_nowait(message)

    async def hear(**frame):
        inbox.put_nowait({"type": "websocket.receive", "text": json.dumps(frame)})

    cookie = f"sessionid={alice_client.cookies['sessionid'].value}".encode()
    scope = {"type": "websocket", "path": "/ws/agent/", "headers": [(b"cookie", cookie)]}
    inbox.put_nowait({"type": "websocket.connect"})
    serving = asyncio.ensure_future(AgentSocket()(scope, inbox.get, partial(handle_reply, protocol)))
    assert (await outbox.get())["type"] == "websocket.accept"
    await hear(type="ping")
    assert "pong" in (await outbox.get())["text"]
    transport.producer.pauseProducing()
    await hear(type="send", text="hello", send_id="s1")
    await hear(type="send", text="hello", send_id="s2")
    assert await asyncio.wait_for(outbox.get(), 2) == {"type": "websocket.close", "code": 4408}
    inbox.put_nowait({"type": "websocket.disconnect", "code": 4408})
    await serving
    await asyncio.gather(*consumer._at_work)
    assert not await Run.objects.aexists()
