"""The shared cases of every wire, through a real loopback server and cut at every byte."""

import gzip
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest

from agentcore.chat import ChatRequest, TextDelta
from agentcore.clock import CLOCK
from agentcore.messages import (
    FunctionCallContent,
    FunctionResultContent,
    Message,
    ReasoningContent,
    Role,
    TextContent,
    Usage,
)
from agentcore.pricing import PriceBook, PriceOverride
from agentcore.providers.clients import DIALECTS
from agentcore.providers.profile import Target
from tests.contracts.wires import WIRES
from tests.fake_upstream import Answer
from tests.reading import decoded, each_byte, normalised, outcome
from tests.recorded import Recorded, answer_of, case, cases_of, wire_cases

CODES = {
    "protocol": "PROVIDER_BAD_RESPONSE",
    "upstream": "PROVIDER_UNAVAILABLE",
    "overloaded": "PROVIDER_UNAVAILABLE",
    "auth": "PROVIDER_AUTH_FAILED",
    "bad_request": "PROVIDER_BAD_REQUEST",
    "rate_limit": "PROVIDER_RATE_LIMITED",
    "model_not_found": "MODEL_NOT_FOUND",
}


def expected_events(case: dict[str, Any]) -> list[dict[str, Any]]:
    """The case's outcome in the product's words: after an error nothing is emitted, so its finish is the error."""
    wanted = []
    for event in case["expected"]["events"]:
        if event["t"] == "error":
            wanted.append(
                {"t": "error", "code": CODES[event["kind"]]} | {key: event[key] for key in ("retryable", "partial")}
            )
            break
        # What the server called it stays behind.
        wanted.append({key: value for key, value in event.items() if key != "raw"})
    return wanted


def assert_as_expected(found: list[dict[str, Any]], wanted: list[dict[str, Any]]) -> None:
    if not any(event["t"] == "usage" for event in wanted):
        found = [event for event in found if event["t"] != "usage"]
    assert [event["t"] for event in found] == [event["t"] for event in wanted]
    ids = [event["id"] for event in found if event["t"] == "tool_call"]
    assert all(ids)
    assert len(set(ids)) == len(ids)
    for event, want in zip(found, wanted, strict=True):
        assert {key: event.get(key) for key in want if want[key] != "<generated>"} == {
            key: value for key, value in want.items() if value != "<generated>"
        }


@pytest.mark.parametrize("case", cases_of("http_response"), ids=lambda case: case["id"])
async def test_case_through_a_real_server(case: dict[str, Any]) -> None:
    events, error = await outcome(answer_of(case["input"]), case["input"]["api"])

    assert_as_expected(normalised(events, error), expected_events(case))
    wanted_error = next((event for event in case["expected"]["events"] if event["t"] == "error"), {})
    assert wanted_error.get("message_contains", "") in (error.message if error else "")


def plain_body(given: Recorded) -> bytes:
    return gzip.decompress(given.body) if given.answer.headers.get("content-encoding") == "gzip" else given.body


@pytest.mark.parametrize("given", wire_cases(), ids=lambda given: given.name)
def test_case_is_the_same_wherever_the_network_cuts(given: Recorded) -> None:
    body, api = plain_body(given), given.api
    whole = decoded([body], api)

    for at in range(1, len(body)):
        assert decoded([body[:at], body[at:]], api) == whole
    assert decoded(each_byte(body), api) == whole
    assert decoded([body.replace(b"\n", b"\r\n")], api) == whole
    assert decoded(each_byte(body.replace(b"\n", b"\r")), api) == whole


@pytest.mark.parametrize("api", WIRES)
async def test_a14_a_line_of_120_kilobytes_in_seven_pieces(api: str) -> None:
    wire, wanted = WIRES[api], case("A14")["expected"]["events"]
    line = wire.text("k" * wanted[0]["len"])
    cuts = [0, 1, 700, 5000, 64000, 70000, 119999, len(line)]
    pieces = [line[start:end] for start, end in pairwise(cuts)]

    events, error = await outcome(Answer(writes=[*pieces, wire.finish(wanted[1]["reason"]), wire.end]), api)

    assert error is None
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == "k" * wanted[0]["len"]


@pytest.mark.parametrize("api", DIALECTS)
@pytest.mark.parametrize(("status", "body", "wanted"), case("A59")["input"]["rows"])
async def test_a59_an_error_status_has_its_kind_and_its_words(status: int, body: str, wanted: str, api: str) -> None:
    kind, *rest = wanted.split(" ", 1)

    _events, error = await outcome(
        Answer(status=status, headers={"content-type": "application/json"}, writes=[body.encode()]), api
    )

    assert error is not None
    assert error.code == CODES[kind]
    assert error.upstream_status == status
    assert error.retryable == ("retryable" in rest)
    assert len(error.message) < 700
    if rest and rest[0].startswith("'"):
        assert rest[0].strip("'") in error.message
    assert "<html>" not in error.message


def history_of(case: dict[str, Any]) -> ChatRequest:
    """The stored history of a case. ``provider`` is that of the route that is asked."""
    return ChatRequest(model="fx", messages=tuple(map(_message, case["input"]["history"])))


def _message(given: dict[str, Any]) -> Message:
    if given["role"] == "tool":
        return Message(role=Role.TOOL, contents=(FunctionResultContent(given["id"], "add", given["text"]),))
    if "text" in given:
        return Message.of(given["role"], given["text"])
    return Message(role=Role(given["role"]), contents=tuple(map(_content, given["parts"])))


def _content(part: dict[str, Any]) -> TextContent | ReasoningContent | FunctionCallContent:
    match part["t"]:
        case "reasoning":
            return ReasoningContent(part["text"], part["signature"], part["provider"], "fx")
        case "tool_call":
            return FunctionCallContent(part["id"], part["name"], part["args"])
        case _:
            return TextContent(part["text"])


def objects_in(value: Any) -> list[dict[str, Any]]:
    """Every object in a JSON value."""
    items = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return [*([value] if isinstance(value, dict) else []), *(found for item in items for found in objects_in(item))]


def test_a17_thinking_without_a_signature_is_not_sent_back() -> None:
    given = case("A17")
    kind, fields = given["expected"]["request"]["no_block_of_type_with"]

    sent = DIALECTS[given["input"]["api"]].encode(history_of(given), Target())

    assert not [block for block in objects_in(sent) if block.get("type") == kind and fields.items() <= block.items()]
    assert "(stopped)" in str(sent)
    assert "half" not in str(sent)


def test_a21_a_call_is_sent_back_without_the_id_of_an_item_that_is_not_stored() -> None:
    given = case("A21")
    wanted = given["expected"]["request"]["input"]

    sent = DIALECTS[given["input"]["api"]].encode(history_of(given), Target())

    assert sent["store"] is given["input"]["store"]
    assert len(sent["input"]) == len(wanted)
    for item, want in zip(sent["input"], wanted, strict=True):
        assert {key: item.get(key, "<absent>") for key in want} == want


PAYLOADS: dict[str | None, dict[str, Any]] = {
    "anthropic": {"type": "message", "role": "assistant", "content": [], "stop_reason": "end_turn"},
    "openai_responses": {"object": "response", "status": "completed", "output": []},
}


def usage_of(given: dict[str, Any]) -> Usage:
    """The usage of a case, as its dialect reports it; the words of a case without one are ours."""
    if "api" not in given:
        return Usage(input_tokens=given["usage"]["in"], output_tokens=given["usage"]["out"])
    decoder = DIALECTS[given["api"]].decoder(ChatRequest(model="fx", messages=()))
    decoder.whole(PAYLOADS[given["api"]] | {"usage": given["usage"]})
    usage = decoder.usage()
    assert usage is not None
    return usage


def cost_of(given: dict[str, Any]) -> Decimal:
    prices = {key: Decimal(value) for key, value in given["price_per_mtok"].items()}
    own = PriceOverride(
        model="fx",
        currency="USD",
        input_per_mtok=prices["in"],
        output_per_mtok=prices["out"],
        cached_input_per_mtok=prices.get("cache_read"),
        cache_write_per_mtok=prices.get("cache_write_5m"),
        valid_from=CLOCK.now(),
    )
    kind = given.get("api", "openai_chat")
    book = PriceBook([own])
    cost = book.cost(provider_type=kind, base_url="", model="fx", usage=usage_of(given), at=CLOCK.now())
    assert cost.amount is not None
    return cost.amount


@pytest.mark.parametrize("case", cases_of("usage_to_cost"), ids=lambda case: case["id"])
def test_cost_of_a_usage_is_exact(case: dict[str, Any]) -> None:
    wanted = case["expected"]

    cost = cost_of(case["input"])

    assert cost == Decimal(wanted.get("cost", wanted.get("cost_json")))
    assert str(cost) == wanted.get("cost_json", str(cost))
    assert cost != Decimal(wanted.get("wrong", 0))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("A28", {"in_total": "input_tokens", "cache_write": "cache_write_tokens", "cache_read": "cached_input_tokens"}),
        ("A28", {"out": "output_tokens"}),
        ("A29", {"out": "output_tokens", "reasoning": "reasoning_tokens"}),
    ],
)
def test_buckets_of_a_usage_are_inclusive(name: str, words: dict[str, str]) -> None:
    usage, wanted = usage_of(case(name)["input"]), case(name)["expected"]["usage"]

    assert {word: getattr(usage, field) for word, field in words.items()} == {word: wanted[word] for word in words}


def test_a30_sums_do_not_drift() -> None:
    repeated = case("A30")["input"]["repeat_sum"]
    each = Decimal(repeated["cost_each"])

    assert sum([each] * repeated["n"], Decimal(0)) == Decimal(case("A30")["expected"]["sum"])
