"""Bad frames and bad input at the socket: the contract's code, nothing half-stored, and the socket stays open."""

import pytest

from agentcore.models import AgentProfile, Credential, Provider, Run, RunEvent
from conversations.models import Conversation, Message

pytestmark = pytest.mark.database


async def still_open(socket):
    await socket.say(type="ping")
    return await socket.told() == {"type": "pong"}


async def nothing_stored():
    return [await kind.objects.acount() for kind in (Run, RunEvent, Conversation, Message)] == [0, 0, 0, 0]


async def refused(socket, code, **fields):
    await socket.say(**{"type": "send", "text": "hello", "send_id": "s"} | fields)
    told = await socket.told()
    assert (told["type"], told.get("code"), told.get("send_id")) == ("error", code, "s")
    assert told["message"]
    assert await nothing_stored()
    assert await still_open(socket)


@pytest.mark.parametrize("text", ["{", "[" * 100_000, '{"type": "unknown"}', "x" * 10_000_000])
async def test_a_frame_that_is_none_gets_an_error(alices, text):
    await alices.send_to(text_data=text)
    frame = await alices.told()
    assert (frame["type"], set(frame)) == ("error", {"type", "code", "message"})
    assert await still_open(alices)


async def test_a_binary_frame_gets_an_error(alices):
    await alices.send_to(bytes_data=b'{"type": "ping"}')
    assert (await alices.told())["code"] == "VALIDATION_ERROR"
    assert await still_open(alices)


@pytest.mark.parametrize(
    "fields",
    [
        {"text": ""},
        {"text": " \n\t\u3000"},
        {"text": None},
        {"unknown": 1},
        {"conversation_id": "no uuid"},
        {"max_steps": 0},
        {"allowed_tools": "all"},
        {"allowed_tools": ["no.such"]},
    ],
)
async def test_wrong_fields_are_refused_and_nothing_is_stored(alices, fields):
    await refused(alices, "VALIDATION_ERROR", **fields)


@pytest.mark.parametrize("characters", [32_001, 100_000])
async def test_too_much_text_is_refused_and_nothing_is_stored(alices, characters):
    await refused(alices, "PAYLOAD_TOO_LARGE", text="x" * characters)


@pytest.mark.parametrize("text", ["a\x00b", "a\ud800b", "\udfffb"])
async def test_what_no_database_stores_is_replaced(alices, text):
    await alices.say(type="send", text=text, send_id="s")
    assert (await alices.told())["type"] == "accepted"
    events = await alices.told_until_end()
    assert events[-1]["type"] == "RunCompleted"
    stored = await Message.objects.aget(role="user")
    assert "\ufffd" in stored.text
    assert events[0]["data"]["input"] == stored.text


@pytest.mark.parametrize(
    "fields",
    [
        {"conversation_id": "01980000-0000-7000-8000-000000000000"},
        {"agent": "nobody"},
        {"provider_id": "nowhere"},
        {"provider_id": "mock", "model": "no-such-model"},
    ],
)
async def test_what_is_unknown_is_not_found(alices, fields):
    await refused(alices, "NOT_FOUND", **fields)


async def test_a_disabled_provider_is_not_found(alices):
    await Provider.objects.aupdate(enabled=False)
    await refused(alices, "NOT_FOUND", provider_id="mock")


async def test_a_disabled_agent_is_not_found(alices):
    await AgentProfile.objects.aupdate(enabled=False)
    await refused(alices, "NOT_FOUND", agent="assistant")


async def test_a_missing_credential_is_said_before_anything_is_stored(alices):
    await Credential.objects.acreate(slug="lost", token=b"")
    await Provider.objects.acreate(
        slug="paid",
        provider_type="openai_chat",
        name="Paid",
        base_url="https://127.0.0.1:1/v1",
        default_model="m",
        credential_id="lost",
    )
    await refused(alices, "PROVIDER_CREDENTIAL_MISSING", provider_id="paid")


async def test_a_flood_is_answered_and_survived(alices):
    for _ in range(500):
        await alices.send_to(text_data="nonsense")
    answers = [await alices.told() for _ in range(500)]
    assert {answer["code"] for answer in answers} <= {"VALIDATION_ERROR", "RATE_LIMITED"}
    assert await still_open(alices)
