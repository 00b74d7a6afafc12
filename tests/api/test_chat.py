"""A chat without agent: model events as they come, nothing stored of what is said, and everything on record."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

import httpx
import pytest
from django.contrib.auth.models import Permission

from agentcore.agents.agent import AgentResponse, RunCall
from agentcore.agents.loop import Ending
from agentcore.api.chat import Frames
from agentcore.events import Event
from agentcore.messages import Message, Role
from agentcore.models import Provider, Run, RunEvent
from agentcore.pool import in_pool
from agentcore.runs import service
from agentcore.runs.chat import follow_chat, start_chat
from agentcore.runs.chat_request import ChatApiRequest
from agentcore.runs.runtime import Runtime, runtime
from agentcore.services.credentials import credential_store
from governance.models import AuditEvent, ModelCall, Turn
from tests.fake_upstream import Answer, FakeUpstream, called, chunk, said

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]

PATH = "/api/chat"
CANARY = "what-nobody-stores-CANARY"
KEPT: tuple[Any, ...] = (Run, RunEvent, Turn, ModelCall, AuditEvent)
TOOL = {"name": "get_weather", "description": "Weather", "parameters": {"type": "object", "properties": {}}}


@pytest.fixture(autouse=True)
def _loopback_is_allowed(settings: Any) -> None:
    settings.STEWARD = {**settings.STEWARD, "ALLOW_PRIVATE_PROVIDER_URLS": True}


@pytest.fixture
async def allowed(ada: Any) -> Any:
    await ada.user_permissions.aadd(await Permission.objects.aget(codename="use_chat_api"))
    return ada


def body(text: str = "Hello", **fields: Any) -> dict[str, Any]:
    usual = {"provider_id": "mock", "model": "mock-1", "messages": [{"role": "user", "content": text}]}
    return usual | fields


def events(answer: httpx.Response) -> list[tuple[str, dict[str, Any]]]:
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/event-stream")
    frames = [frame.split("\n") for frame in answer.text.strip().split("\n\n")]
    return [(name.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for name, data in frames]


def told(answer: httpx.Response) -> list[tuple[str, dict[str, Any]]]:
    """The events, with deltas of a kind that follow each other joined."""
    found: list[tuple[str, dict[str, Any]]] = []
    for name, data in events(answer):
        if found and found[-1][0] == name and name.endswith("Delta"):
            found[-1] = (name, {"text": found[-1][1]["text"] + data["text"]})
        else:
            found.append((name, data))
    return found


def refused(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


async def test_an_answer_is_a_stream_of_model_events(program: httpx.AsyncClient, allowed: Any) -> None:
    answer = await program.post(PATH, json=body("/think hm\n/usage 7 3\nHello"))

    found = told(answer)
    assert [name for name, _data in found] == ["ReasoningDelta", "TextDelta", "Usage", "Finish"]
    assert found[1][1] == {"text": "You said: Hello"}
    assert (found[2][1]["usage"]["input_tokens"], found[2][1]["usage"]["output_tokens"]) == (7, 3)
    assert found[3][1] == {"reason": "stop", "provider_id": "mock", "model": "mock-1"}
    assert answer.headers["cache-control"] == "no-cache, no-transform"


async def test_nothing_of_what_is_said_is_stored(program: httpx.AsyncClient, allowed: Any, process: Runtime) -> None:
    messages = [
        {"role": "system", "content": CANARY},
        {"role": "user", "content": CANARY},
        {"role": "assistant", "content": None, "tool_calls": [call("c1", f'{{"city": "{CANARY}"}}')]},
        {"role": "tool", "tool_call_id": "c1", "content": CANARY},
    ]
    answer = await program.post(PATH, json=body(messages=messages, tools=[TOOL]))
    assert CANARY in answer.text
    await process.engine.drain()

    run = await Run.objects.aget()
    assert (run.input, run.output, run.conversation_id, run.purpose, run.status) == (
        "",
        "",
        None,
        "chat_api",
        "completed",
    )
    kept = [vars(row) for kind in KEPT async for row in kind.objects.all()]
    assert len(kept) > 5
    assert CANARY not in str(kept)


async def test_the_sites_own_keys_are_not_sent(program: httpx.AsyncClient, allowed: Any) -> None:
    await in_pool(credential_store)("k", CANARY)
    messages = [
        {"role": "user", "content": f"Is {CANARY} the key?"},
        {"role": "assistant", "content": None, "tool_calls": [call("c1", "{}")]},
        {"role": "tool", "tool_call_id": "c1", "content": CANARY},
    ]
    async with FakeUpstream([said("No.")]) as far:
        await upstream(far.base_url)
        await program.post(PATH, json=body(provider_id="far", model="fx-1", messages=messages, tools=[TOOL]))

    assert len(far.requests) == 1
    assert CANARY not in far.requests[0].body.decode()


async def test_the_sites_own_keys_are_not_told(program: httpx.AsyncClient, allowed: Any) -> None:
    await in_pool(credential_store)("k", CANARY)
    arguments = json.dumps({"city": CANARY, CANARY: [{"in": f"x{CANARY}y"}, 7]})
    async with FakeUpstream([called((f"id-{CANARY}", f"get_{CANARY}", arguments))]) as far:
        await upstream(far.base_url)
        answer = await program.post(PATH, json=body(provider_id="far", model="fx-1", tools=[TOOL]))

    found = told(answer)
    assert [name for name, _data in found] == ["ToolCall", "Usage", "Finish"]
    assert list(found[0][1]["arguments"].values())[1][1] == 7
    assert CANARY not in answer.text


async def test_it_is_on_record_as_every_run_is(program: httpx.AsyncClient, allowed: Any, process: Runtime) -> None:
    await program.post(PATH, json=body("/usage 7 3\nHello"))
    await process.engine.drain()

    turn, attempt = await Turn.objects.aget(), await ModelCall.objects.aget()
    assert (turn.purpose, turn.username, turn.status, turn.provider_id, turn.model) == (
        "chat_api",
        "ada",
        "completed",
        "mock",
        "mock-1",
    )
    assert (turn.input_tokens, turn.output_tokens, turn.model_calls) == (7, 3, 1)
    assert (attempt.outcome, attempt.input_tokens) == ("ok", 7)
    assert [event.type async for event in RunEvent.objects.all()] == [
        "RunStarted",
        "StepStarted",
        "UsageReported",
        "RunCompleted",
    ]


def call(call_id: str, arguments: Any = "{}") -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": "get_weather", "arguments": arguments}}


async def upstream(base_url: str) -> None:
    await Provider.objects.acreate(
        slug="far", provider_type="openai_chat", name="Far", base_url=base_url, default_model="fx-1"
    )


async def test_tools_are_offered_and_their_calls_are_told_whole(program: httpx.AsyncClient, allowed: Any) -> None:
    async with FakeUpstream([called(("c9", "get_weather", '{"city": "Oslo"}'))]) as far:
        await upstream(far.base_url)
        answer = await program.post(PATH, json=body("Weather?", provider_id="far", model="fx-1", tools=[TOOL]))

    assert far.requests[0].json["tools"][0]["function"]["name"] == "get_weather"
    found = told(answer)
    assert found[0] == ("ToolCall", {"call_id": "c9", "name": "get_weather", "arguments": {"city": "Oslo"}})
    assert found[-1] == ("Finish", {"reason": "tool_calls", "provider_id": "far", "model": "fx-1"})
    assert [name for name, _data in found] == ["ToolCall", "Usage", "Finish"]


async def test_a_history_of_calls_reaches_the_model_as_it_was(program: httpx.AsyncClient, allowed: Any) -> None:
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "Weather?"}]},
        {"role": "assistant", "content": "Let me see.", "tool_calls": [call("a", '{"city": "Oslo"}'), call("b", {})]},
        {"role": "tool", "tool_call_id": "b", "content": "rain"},
        {"role": "tool", "tool_call_id": "a", "content": "sun"},
        {"role": "user", "content": "And?"},
    ]
    async with FakeUpstream([said("Fine.")]) as far:
        await upstream(far.base_url)
        answer = await program.post(PATH, json=body(provider_id="far", model="fx-1", messages=messages, tools=[TOOL]))

    assert told(answer)[0] == ("TextDelta", {"text": "Fine."})
    sent = far.requests[0].json["messages"]
    assert [item["role"] for item in sent] == ["system", "user", "assistant", "tool", "tool", "user"]
    assert json.loads(sent[2]["tool_calls"][0]["function"]["arguments"]) == {"city": "Oslo"}
    assert {item["tool_call_id"]: item["content"] for item in sent[3:5]} == {"a": "sun", "b": "rain"}


@pytest.mark.parametrize(
    ("messages", "path"),
    [
        ([], "messages"),
        ([{"role": "user"}], "messages.0"),
        ([{"role": "user", "content": ""}], "messages.0"),
        ([{"role": "wizard", "content": "x"}], "messages.0.role"),
        ([{"role": "tool", "tool_call_id": "a", "content": "x"}], "messages.0"),
        ([{"role": "assistant", "tool_calls": [call("a")]}], "messages"),
        ([{"role": "assistant", "tool_calls": [call("a")]}, {"role": "user", "content": "x"}], "messages.1"),
        ([{"role": "assistant", "tool_calls": [call("a"), call("a")]}], "messages.0"),
        ([{"role": "assistant", "tool_calls": [call("a", "[1]")]}], "messages.0"),
        ([{"role": "assistant", "tool_calls": [call("a", "{")]}], "messages.0"),
        ([{"role": "user", "content": "x", "tool_calls": [call("a")]}], "messages.0"),
        ([{"role": "user", "content": "x", "tool_call_id": "a"}], "messages.0"),
        ([{"role": "user", "content": "x", "more": 1}], "messages.0.more"),
        ([{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "file:///x"}}]}], "messages.0"),
    ],
)
async def test_messages_that_make_no_sense_are_refused_by_their_place(
    messages: list[Any], path: str, program: httpx.AsyncClient, allowed: Any
) -> None:
    answer = await program.post(PATH, json=body(messages=messages))
    assert refused(answer) == (400, "VALIDATION_ERROR")
    assert path in answer.json()["error"]["details"]
    assert not await Run.objects.aexists()


@pytest.mark.parametrize(
    ("fields", "refusal"),
    [
        ({"provider_id": "nobody"}, (404, "NOT_FOUND")),
        ({"model": "nobody"}, (404, "NOT_FOUND")),
        ({"temperature": 1}, (400, "VALIDATION_ERROR")),
        ({"tools": [TOOL, TOOL]}, (400, "VALIDATION_ERROR")),
        ({"tools": [TOOL | {"name": "a b"}]}, (400, "VALIDATION_ERROR")),
        ({"tools": [TOOL | {"parameters": []}]}, (400, "VALIDATION_ERROR")),
        ({"messages": [{"role": "user", "content": "x" * 40_000}]}, (413, "PAYLOAD_TOO_LARGE")),
        ({"messages": [{"role": "user", "content": "x" * 20_000}] * 2}, (413, "PAYLOAD_TOO_LARGE")),
    ],
)
async def test_a_refusal_makes_no_run(
    fields: dict[str, Any], refusal: tuple[int, str], program: httpx.AsyncClient, allowed: Any
) -> None:
    assert refused(await program.post(PATH, json=body(**fields))) == refusal
    assert not await Run.objects.aexists()


async def test_it_needs_its_permission(program: httpx.AsyncClient) -> None:
    assert refused(await program.post(PATH, json=body())) == (403, "FORBIDDEN")
    assert refused(await program.post(PATH, json={})) == (403, "FORBIDDEN")


async def test_a_missing_key_is_said_before_a_row_is_made(program: httpx.AsyncClient, allowed: Any) -> None:
    await Provider.objects.acreate(
        slug="far", provider_type="openai_chat", name="Far", base_url="https://far.example", default_model="fx-1"
    )
    credential = await Provider.credential.field.related_model.objects.acreate(slug="nowhere", token=b"")
    await Provider.objects.filter(slug="far").aupdate(credential=credential)
    answer = await program.post(PATH, json=body(provider_id="far", model="fx-1"))
    assert refused(answer) == (409, "PROVIDER_CREDENTIAL_MISSING")
    assert not await Run.objects.aexists()


async def test_the_runs_of_a_person_are_limited(program: httpx.AsyncClient, allowed: Any, settings: Any) -> None:
    settings.STEWARD = {**settings.STEWARD, "MAX_CONCURRENT_RUNS_PER_USER": 0 + 1}
    process = runtime()
    process.opening.append(type("Elsewhere", (), {"user_id": allowed.pk, "send_id": None})())
    answer = await program.post(PATH, json=body())
    process.opening.clear()
    assert refused(answer) == (429, "TOO_MANY_RUNS")
    assert answer.headers["retry-after"]


@pytest.mark.parametrize(
    ("script", "error"),
    [
        ("/fail PROVIDER_AUTH_FAILED", ("PROVIDER_AUTH_FAILED", False, False)),
        ("/fail PROVIDER_BAD_RESPONSE 2", ("PROVIDER_BAD_RESPONSE", True, True)),
        ("/fail CONTEXT_LENGTH_EXCEEDED", ("CONTEXT_LENGTH_EXCEEDED", False, False)),
    ],
)
async def test_a_failure_is_the_last_event(
    script: str, error: tuple[str, bool, bool], program: httpx.AsyncClient, allowed: Any, process: Runtime
) -> None:
    found = told(await program.post(PATH, json=body(script)))
    name, data = found[-1]
    assert (name, data["code"], data["retryable"], data["partial"]) == ("Error", *error)
    assert data["message"]
    await process.engine.drain()
    assert (await Turn.objects.aget()).error_code == error[0]


async def test_the_time_of_a_run_is_limited(program: httpx.AsyncClient, allowed: Any, settings: Any) -> None:
    settings.STEWARD = {**settings.STEWARD, "RUN_TIMEOUT": 0.2}
    found = told(await program.post(PATH, json=body("/stream 1000 50")))
    assert (found[-1][0], found[-1][1]["code"], found[-1][1]["partial"]) == ("Error", "RUN_TIMEOUT", True)


async def test_tools_for_a_model_that_takes_none_are_an_error(program: httpx.AsyncClient, allowed: Any) -> None:
    async with FakeUpstream([said("Fine.")]) as far:
        await upstream(far.base_url)
        await Provider.objects.filter(slug="far").aupdate(profile={"tool_mode": "none"})
        found = told(await program.post(PATH, json=body(provider_id="far", model="fx-1", tools=[TOOL])))
    assert (found[-1][0], found[-1][1]["code"]) == ("Error", "CAPABILITY_MISSING")
    assert far.requests == []


async def test_an_answer_that_is_cut_off_at_the_limit_of_the_site_says_length(
    program: httpx.AsyncClient, allowed: Any, settings: Any
) -> None:
    settings.STEWARD = {**settings.STEWARD, "MAX_OUTPUT_TOKENS": 77}
    async with FakeUpstream([said("Fi", finish="length")]) as far:
        await upstream(far.base_url)
        found = told(await program.post(PATH, json=body(provider_id="far", model="fx-1")))
    assert far.requests[0].json["max_tokens"] == 77
    assert found[-1][1]["reason"] == "length"
    assert (await Run.objects.aget()).finish_reason == "length"


async def test_a_call_that_is_cut_off_is_never_told(program: httpx.AsyncClient, allowed: Any) -> None:
    fragment = {"index": 0, "id": "c", "type": "function", "function": {"name": "get_weather", "arguments": '{"ci'}}
    cut = Answer(writes=[chunk({"tool_calls": [fragment]}), chunk(finish="length")])
    async with FakeUpstream([cut]) as far:
        await upstream(far.base_url)
        found = told(await program.post(PATH, json=body(provider_id="far", model="fx-1", tools=[TOOL])))
    assert "ToolCall" not in dict(found)
    assert found[-1][1]["code"] == "OUTPUT_TRUNCATED"


async def reply(call: RunCall, call_next: Any) -> AgentResponse:
    """A run layer that answers by itself."""
    return AgentResponse(messages=(Message.of(Role.ASSISTANT, f"Not here. {CANARY}"),), finish_reason=Ending.GUARDRAIL)


async def test_the_run_layers_of_the_site_are_around_it(
    program: httpx.AsyncClient, allowed: Any, process: Runtime, settings: Any
) -> None:
    settings.STEWARD = {**settings.STEWARD, "RUN_MIDDLEWARE": [f"{__name__}.reply"]}
    found = told(await program.post(PATH, json=body()))
    assert found[0] == ("TextDelta", {"text": f"Not here. {CANARY}"})
    assert (found[-1][0], found[-1][1]["reason"]) == ("Finish", "stop")
    await process.engine.drain()
    run = await Run.objects.aget()
    assert (run.output, run.finish_reason) == ("", "guardrail")
    assert not await ModelCall.objects.aexists()


async def test_who_leaves_stops_the_upstream(allowed: Any, process: Runtime) -> None:
    async with FakeUpstream([Answer(writes=[chunk({"content": "Fi"})], end="hang")]) as far:
        await upstream(far.base_url)
        run_id, direct = await start_chat(asked(provider_id="far", model="fx-1"), user=allowed, locale="en")
        following = follow_chat(run_id, direct, silence_s=9)
        await anext(following)
        await following.aclose()
        await process.engine.drain()
        await far.left.wait()
    run = await Run.objects.aget()
    assert (run.status, run.cancel_reason) == ("cancelled", "user")


def asked(**fields: Any) -> ChatApiRequest:
    return ChatApiRequest.parse(body(**fields))


async def test_who_leaves_while_the_run_is_opened_stops_it(
    allowed: Any, process: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    opening, is_open = service.arun_open, asyncio.Event()

    async def left(new: Any) -> Any:
        task.cancel()
        opened = await opening(new)
        is_open.set()
        return opened

    monkeypatch.setattr(service, "arun_open", left)
    task = asyncio.create_task(start_chat(asked(), user=allowed, locale="en"))
    await asyncio.wait([task])
    assert task.cancelled()
    await is_open.wait()
    await process.engine.drain()
    assert [run.status async for run in Run.objects.all()] == ["cancelled"]
    assert not await ModelCall.objects.aexists()


async def test_who_never_reads_stops_it_too(allowed: Any, process: Runtime) -> None:
    run_id, direct = await start_chat(asked(text="/stream 1000 50"), user=allowed, locale="en")
    await in_pool(Frames(run_id, direct).close)()
    await process.engine.drain()
    assert (await Run.objects.aget()).status == "cancelled"


async def test_the_pages_of_the_records_show_it(
    program: httpx.AsyncClient, allowed: Any, process: Runtime, async_client: Any
) -> None:
    await program.post(PATH, json=body())
    await process.engine.drain()
    await type(allowed).objects.filter(pk=allowed.pk).aupdate(is_superuser=True, is_staff=True)
    await async_client.aforce_login(await type(allowed).objects.aget(pk=allowed.pk))
    run_id = (await Run.objects.aget()).pk
    paths = ["turns/", f"turns/{run_id}/", "audit/", "cost/"]
    pages = {path: await async_client.get(f"/governance/{path}") for path in paths}
    assert {path: page.status_code for path, page in pages.items()} == dict.fromkeys(paths, 200)
    assert b"chat_api" in pages[f"turns/{run_id}/"].content
    run = (await program.get(f"/api/agent/runs/{run_id}")).json()
    assert (run["agent"], run["conversation_id"], run["input"]) == ("", None, "")


async def test_an_end_that_cannot_be_read_is_no_endless_silence(
    allowed: Any, process: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(run_id: UUID) -> AsyncIterator[list[Event]]:
        raise ConnectionError
        yield []

    monkeypatch.setattr("agentcore.runs.chat.follow", broken)
    run_id, direct = await start_chat(ChatApiRequest.parse(body()), user=allowed, locale="en")
    with pytest.raises(ConnectionError):
        async for _batch in follow_chat(run_id, direct, silence_s=0.05):
            pass
