"""The socket, with the real service of runs and the mock provider behind it."""

import asyncio
from uuid import UUID

import pytest

from agentcore.ids import uuid7
from agentcore.models import Run
from conversations import consumer
from conversations.models import Conversation, Message
from tests.conversations.conftest import Socket

pytestmark = pytest.mark.database

COUNT = "/stream 3"
ENDLESS = "/stream 5000 5"


def answer(events):
    return "".join(event["data"]["text"] for event in events if event["type"] == "TextDelta")


async def accepted(socket, text=COUNT, send_id="s1", **fields):
    await socket.say(type="send", text=text, send_id=send_id, **fields)
    frame = await socket.told()
    assert frame["type"] == "accepted", frame
    return frame


async def test_a_send_is_accepted_and_its_run_is_shown_whole(alices):
    frame = await accepted(alices, send_id="mine")
    assert set(frame) == {"type", "send_id", "run_id", "conversation_id"}
    assert frame["send_id"] == "mine"
    events = await alices.told_until_end()
    assert {event["run_id"] for event in events} == {frame["run_id"]}
    assert [event["sequence"] for event in events] == list(range(len(events)))
    assert answer(events) == "w1 w2 w3 "


async def test_both_messages_of_a_turn_are_stored(alices, alice):
    frame = await accepted(alices)
    await alices.told_until_end()
    rows = [row async for row in Message.objects.filter(conversation_id=frame["conversation_id"])]
    assert [(row.role, row.text) for row in rows] == [("user", COUNT), ("assistant", "w1 w2 w3 ")]


async def test_a_second_send_goes_on_in_the_same_conversation(alices):
    first = await accepted(alices)
    await alices.told_until_end()
    second = await accepted(alices, send_id="s2", conversation_id=first["conversation_id"])
    await alices.told_until_end()
    assert second["conversation_id"] == first["conversation_id"]
    assert await Message.objects.acount() == 4


async def test_a_repeated_send_gets_the_same_ids_and_the_events_from_the_start(alices):
    first = await accepted(alices)
    events = await alices.told_until_end()
    again = await accepted(alices)
    assert again == first
    assert await alices.told_until_end() == events
    assert await Run.objects.acount() == 1


async def test_a_send_that_was_taken_is_not_refused_when_its_run_cannot_be_shown(alices, monkeypatch):
    monkeypatch.setattr(consumer, "FOLLOWED_RUNS", 0)
    frame = await accepted(alices)
    told = await alices.told()
    assert (told["code"], told.get("run_id"), told.get("send_id")) == ("RATE_LIMITED", frame["run_id"], None)


async def test_the_same_send_id_with_another_text_is_a_conflict(alices):
    await accepted(alices)
    await alices.told_until_end()
    await alices.say(type="send", text="something else", send_id="s1")
    frame = await alices.told()
    assert (frame["type"], frame["code"], frame["send_id"]) == ("error", "CONFLICT", "s1")


async def test_stop_ends_the_run_and_keeps_what_was_shown(alices):
    frame = await accepted(alices, ENDLESS)
    while (await alices.told())["event"]["type"] != "TextDelta":
        pass
    await alices.say(type="stop", run_id=frame["run_id"])
    events = await alices.told_until_end()
    assert (events[-1]["type"], events[-1]["data"]["reason"]) == ("RunCancelled", "user")
    stored = await Message.objects.aget(role="assistant")
    assert stored.text.startswith("w1 ")
    assert stored.text == events[-1]["data"]["output"]


async def test_stop_twice_is_no_error(alices):
    frame = await accepted(alices, ENDLESS)
    await alices.say(type="stop", run_id=frame["run_id"])
    await alices.told_until_end()
    await alices.say(type="stop", run_id=frame["run_id"])
    await alices.say(type="ping")
    assert await alices.told() == {"type": "pong"}


async def test_subscribe_shows_what_comes_after_a_sequence(alices, alice_client):
    frame = await accepted(alices)
    events = await alices.told_until_end()
    other = await Socket(alice_client).opened()
    await other.say(type="subscribe", run_id=frame["run_id"], after_sequence=1)
    assert await other.told_until_end() == events[2:]
    await other.disconnect()


async def test_two_sockets_watch_one_run(alices, alice_client):
    other = await Socket(alice_client).opened()
    frame = await accepted(alices, "/stream 20 5")
    await other.say(type="subscribe", run_id=frame["run_id"], after_sequence=-1)
    first, second = await asyncio.gather(alices.told_until_end(), other.told_until_end())
    assert first == second
    await other.disconnect()


async def test_unsubscribe_ends_the_showing_and_not_the_run(alices):
    frame = await accepted(alices, ENDLESS)
    await alices.say(type="unsubscribe", run_id=frame["run_id"])
    await alices.say(type="ping")
    while (await alices.told())["type"] != "pong":
        pass
    await alices.say(type="ping")
    assert await alices.told() == {"type": "pong"}
    assert (await Run.objects.aget()).is_open
    await alices.say(type="stop", run_id=frame["run_id"])


async def test_a_closed_socket_never_stops_a_run(alice_client, process):
    socket = await Socket(alice_client).opened()
    frame = await accepted(socket, "/stream 50 5")
    await socket.disconnect()
    await process.engine.drain()
    run = await Run.objects.aget(id=UUID(frame["run_id"]))
    assert run.status == Run.Status.COMPLETED


async def test_a_send_is_carried_out_although_its_socket_closed_at_once(alice_client, process):
    socket = await Socket(alice_client).opened()
    await socket.say(type="send", text=COUNT, send_id="last words")
    await socket.disconnect()
    await asyncio.gather(*consumer._at_work)
    assert (await Run.objects.aget()).send_id == "last words"


@pytest.mark.parametrize("kind", ["stop", "subscribe", "permission"])
async def test_the_runs_of_others_are_not_found(alices, bobs, kind):
    frame = await accepted(alices, ENDLESS)
    await bobs.say(type=kind, run_id=frame["run_id"], request_id=str(uuid7()), decision="deny", after_sequence=-1)
    refused = await bobs.told()
    await bobs.say(type=kind, run_id=str(uuid7()), request_id=str(uuid7()), decision="deny", after_sequence=-1)
    unknown = await bobs.told()
    assert (refused["type"], refused["code"], refused["run_id"]) == ("error", "NOT_FOUND", frame["run_id"])
    assert {**unknown, "run_id": ""} == {**refused, "run_id": ""}
    assert (await Run.objects.aget()).is_open
    await alices.say(type="stop", run_id=frame["run_id"])


async def test_the_conversation_of_another_is_not_found(alices, bobs):
    frame = await accepted(alices)
    await alices.told_until_end()
    await bobs.say(type="send", text="hi", send_id="b1", conversation_id=frame["conversation_id"])
    told = await bobs.told()
    assert (told["code"], told["send_id"]) == ("NOT_FOUND", "b1")
    assert await Message.objects.acount() == 2


async def test_a_conversation_with_an_open_run_is_busy(alices):
    frame = await accepted(alices, ENDLESS)
    await alices.say(type="unsubscribe", run_id=frame["run_id"])
    await alices.say(type="send", text="more", send_id="s2", conversation_id=frame["conversation_id"])
    while (told := await alices.told())["type"] != "error":
        pass
    assert (told["code"], told["send_id"]) == ("CONVERSATION_BUSY", "s2")
    assert await Message.objects.acount() == 1
    await alices.say(type="stop", run_id=frame["run_id"])


async def test_every_window_of_a_person_is_told_that_a_run_began_and_ended(alices, alice_client, bobs, process):
    other = await Socket(alice_client).opened()
    await other.say(type="ping")
    await other.told()
    frame = await accepted(alices, "Count please\n/stream 100 5")
    notices = [await other.receive_json_from(timeout=5) for _ in range(2)]
    ids = {name: frame[name] for name in ("run_id", "conversation_id")}
    common = {"type": "conversation", "title": "Count please", "agent": "assistant", **ids}
    assert notices == [common | {"state": "running"}, common | {"state": "idle"}]
    assert (await Conversation.objects.aget()).title == "Count please"
    assert await bobs.receive_nothing(timeout=0.1)
    await other.disconnect()


async def test_a_stop_overtakes_commands_that_wait(alices, monkeypatch):
    frame = await accepted(alices, ENDLESS)
    for number in range(40):
        await alices.say(type="send", text="more", send_id=f"busy{number}", conversation_id=frame["conversation_id"])
    await alices.say(type="stop", run_id=frame["run_id"])
    refused = 0
    while (told := await alices.told())["type"] != "event" or told["event"]["type"] != "RunCancelled":
        refused += told["type"] == "error"
    assert refused < 40


async def test_a_run_speaks_the_language_of_the_browser(alice_client, process):
    socket = await Socket(alice_client, (b"accept-language", b"zh-hans")).opened()
    await accepted(socket)
    await socket.told_until_end()
    assert (await Run.objects.aget()).locale == "zh-hans"
    await socket.disconnect()
