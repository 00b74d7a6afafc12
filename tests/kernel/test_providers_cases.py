"""The shared cases of the openai_chat wire, through a real loopback server and cut at every byte."""

import base64
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from agentcore.chat import ChatCall, ChatRequest, Finish, ModelEvent, ReasoningDelta, TextDelta, ToolCall, UsageUpdate
from agentcore.errors import AgentError, ProviderError
from agentcore.gateway.gateway import Gateway, GatewayRoute, Route
from agentcore.messages import Message, Role
from agentcore.providers.answer import AnswerReader
from agentcore.providers.clients import client_for
from agentcore.providers.dialects.openai_chat import OPENAI_CHAT
from agentcore.providers.spec import ProviderSpec
from tests.fake_upstream import DONE, Answer, FakeUpstream, chunk

CASES = [
    json.loads(line) for line in (Path(__file__).parents[1] / "data" / "cases.jsonl").read_text().split("\n") if line
]
WIRE = [case for case in CASES if case["input"]["kind"] == "http_response" and case["input"]["api"] == "openai_chat"]
CODES = {
    "protocol": "PROVIDER_BAD_RESPONSE",
    "upstream": "PROVIDER_UNAVAILABLE",
    "overloaded": "PROVIDER_UNAVAILABLE",
    "auth": "PROVIDER_AUTH_FAILED",
    "bad_request": "PROVIDER_BAD_REQUEST",
    "rate_limit": "PROVIDER_RATE_LIMITED",
    "model_not_found": "MODEL_NOT_FOUND",
}
REQUEST = ChatRequest(model="fx-1", messages=(Message.of(Role.USER, "hello"),))


def writes(case: dict[str, Any]) -> list[bytes]:
    return [base64.b64decode(write) for write in case["input"]["writes_b64"]]


async def outcome(answer: Answer) -> tuple[list[ModelEvent], ProviderError | None]:
    """What one call through gateway and client emits and raises."""
    events: list[ModelEvent] = []
    async with FakeUpstream([answer]) as upstream:
        spec = ProviderSpec(provider_id="fx", provider_type="openai_chat", base_url=upstream.base_url)
        gateway = Gateway([GatewayRoute(Route("fx", "fx-1"), client_for(spec, allow_private=True))])
        try:
            await gateway.complete(ChatCall(request=REQUEST, emit=events.append))
        except ProviderError as error:
            return events, error
    return events, None


def normalised(events: list[ModelEvent], error: AgentError | None) -> list[dict[str, Any]]:
    """Events in the words of the cases: the deltas of a kind joined, in order of their first appearance."""
    found: list[dict[str, Any]] = []
    for event in events:
        match event:
            case TextDelta() | ReasoningDelta():
                kind = "text" if isinstance(event, TextDelta) else "reasoning"
                if not (found and found[-1]["t"] == kind):
                    found.append({"t": kind, "text": ""})
                found[-1]["text"] += event.text
            case ToolCall():
                found.append({"t": "tool_call", "id": event.call_id, "name": event.name, "args": event.arguments})
            case UsageUpdate(usage):
                found.append({"t": "usage", "in": usage.input_tokens, "out": usage.output_tokens})
                found[-1] |= {"estimated": True} if usage.estimated else {}
            case Finish():
                found.append({"t": "finish", "reason": event.reason.value})
    if error is not None:
        partial = any(item["t"] in {"text", "reasoning"} for item in found)
        found.append({"t": "error", "code": error.code, "retryable": error.retryable, "partial": partial})
    return found


def expected_events(case: dict[str, Any]) -> list[dict[str, Any]]:
    """The case's outcome in the product's words: after an error nothing is emitted, so its finish is the error."""
    wanted = []
    for event in case["expected"]["events"]:
        if event["t"] == "error":
            wanted.append(
                {"t": "error", "code": CODES[event["kind"]]} | {key: event[key] for key in ("retryable", "partial")}
            )
            break
        wanted.append(event)
    return wanted


def assert_as_expected(found: list[dict[str, Any]], wanted: list[dict[str, Any]]) -> None:
    if not any(event["t"] == "usage" for event in wanted):
        found = [event for event in found if event["t"] != "usage"]
    assert [event["t"] for event in found] == [event["t"] for event in wanted]
    ids = [event["id"] for event in found if event["t"] == "tool_call"]
    assert len(set(ids)) == len(ids)
    for event, want in zip(found, wanted, strict=True):
        assert {key: event.get(key) for key in want if want[key] != "<generated>"} == {
            key: value for key, value in want.items() if value != "<generated>"
        }


@pytest.mark.parametrize("case", WIRE, ids=lambda case: case["id"])
async def test_case_through_a_real_server(case: dict[str, Any]) -> None:
    given = case["input"]
    answer = Answer(status=given["status"], headers=given["headers"], writes=writes(case), end=given["end"])

    events, error = await outcome(answer)

    assert_as_expected(normalised(events, error), expected_events(case))
    wanted_error = next((event for event in case["expected"]["events"] if event["t"] == "error"), {})
    assert wanted_error.get("message_contains", "") in (error.message if error else "")


PLAIN = [case for case in WIRE if "content-encoding" not in case["input"]["headers"]]


@pytest.mark.parametrize("case", PLAIN, ids=lambda case: case["id"])
def test_case_is_the_same_wherever_the_network_cuts(case: dict[str, Any]) -> None:
    body = b"".join(writes(case))
    whole = decoded([body])

    for at in range(1, len(body)):
        assert decoded([body[:at], body[at:]]) == whole
    assert decoded([body[at : at + 1] for at in range(len(body))]) == whole
    assert decoded([body.replace(b"\n", b"\r\n")]) == whole
    assert decoded([body[at : at + 1] for body in [body.replace(b"\n", b"\r")] for at in range(len(body))]) == whole


def decoded(pieces: list[bytes]) -> list[Any]:
    """What the reader makes of a body in those pieces; generated ids are all alike."""
    events: list[Any] = []
    reader = AnswerReader(OPENAI_CHAT.decoder(REQUEST), events.append)
    try:
        for piece in pieces:
            if not reader.feed(piece):
                break
        events += [*reader.end(), reader.usage()]
    except ProviderError as error:
        events.append((error.code, error.message))
    given = {"call_same", "call_a1", "call_g", "c0", "c1", "c2"}
    return [
        ToolCall("*", event.name, event.arguments)
        if isinstance(event, ToolCall) and event.call_id not in given
        else event
        for event in events
    ]


async def test_a14_a_line_of_120_kilobytes_in_seven_pieces() -> None:
    line = chunk({"content": "k" * 120000})
    cuts = [0, 1, 700, 5000, 64000, 70000, 119999, len(line)]
    pieces = [line[start:end] for start, end in pairwise(cuts)]

    events, error = await outcome(Answer(writes=[*pieces, chunk(finish="stop"), DONE]))

    assert error is None
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == "k" * 120000


ERROR_ROWS = next(case for case in CASES if case["id"] == "A59")["input"]["rows"]


@pytest.mark.parametrize(("status", "body", "wanted"), ERROR_ROWS)
async def test_a59_an_error_status_has_its_kind_and_its_words(status: int, body: str, wanted: str) -> None:
    kind, *rest = wanted.split(" ", 1)

    _events, error = await outcome(
        Answer(status=status, headers={"content-type": "application/json"}, writes=[body.encode()])
    )

    assert error is not None
    assert error.code == CODES[kind]
    assert error.upstream_status == status
    assert error.retryable == ("retryable" in rest)
    assert len(error.message) < 700
    if rest and rest[0].startswith("'"):
        assert rest[0].strip("'") in error.message
    assert "<html>" not in error.message
