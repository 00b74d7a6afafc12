"""A request fitted to its model, and the calls that come back."""

import json
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from agentcore.chat import ChatCall, ChatOptions, ChatRequest, TextDelta, ToolCall, ToolSchema
from agentcore.messages import Message, Role
from agentcore.providers.clients import client_for
from agentcore.providers.fitting import fitted, restored
from agentcore.providers.profile import ModelProfile, SchemaDialect
from agentcore.providers.spec import ProviderSpec
from tests.fake_upstream import DONE, Answer, FakeUpstream, chunk

STRICT = ModelProfile(schema_dialect=SchemaDialect.STRICT, output_cap=100)
FREE = {"type": "object", "properties": {"by_city": {"type": "object"}}}
ANSWER = {"type": "object", "properties": {"answer": {"type": "string"}}}


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int = 9


class Dog(BaseModel):
    kind: Literal["dog"]
    name: str | None = None


class Bag(BaseModel):
    kg: int = 23
    inner: list["Bag"] = []


class Trip(BaseModel):
    flight: str
    bags: int = 1
    seat: str | None = "aisle"


class Booking(Trip):
    anything: Any = 7
    items: list[Bag] = []
    pet: Annotated[Cat | Dog, Field(discriminator="kind")] | None = None
    note: str = ""


def asking(*tools: ToolSchema, **options: Any) -> ChatRequest:
    return ChatRequest(
        model="m", messages=(Message.of(Role.USER, "hello"),), tools=tools, options=ChatOptions(**options)
    )


def book(parameters: dict[str, Any] | None = None) -> ToolSchema:
    return ToolSchema(name="book", description="", parameters=parameters or Booking.model_json_schema())


@pytest.mark.parametrize(("wanted", "sent"), [(None, None), (50, 50), (100, 100), (4096, 100)])
def test_no_more_output_is_asked_for_than_the_model_can_give(wanted: int | None, sent: int | None) -> None:
    assert fitted(asking(max_output_tokens=wanted), STRICT).options.max_output_tokens == sent


def test_without_a_known_cap_the_limit_stays() -> None:
    assert fitted(asking(max_output_tokens=4096), ModelProfile()).options.max_output_tokens == 4096


def test_each_tool_says_whether_it_is_strict() -> None:
    request = fitted(asking(book(ANSWER), book(FREE)), STRICT)
    assert [tool.strict for tool in request.tools] == [True, False]
    assert request.tools[0].parameters["additionalProperties"] is False
    assert request.tools[1].parameters == FREE


def test_the_schema_of_an_answer_is_fitted_too() -> None:
    options = fitted(asking(response_schema=ANSWER), STRICT).options
    assert options.response_strict
    assert options.response_schema == ANSWER | {
        "properties": {"answer": {"type": ["string", "null"]}},
        "required": ["answer"],
        "additionalProperties": False,
    }


def test_a_model_that_takes_any_schema_is_sent_what_was_asked() -> None:
    request = asking(book(), book(FREE), response_schema=ANSWER)
    assert fitted(request, ModelProfile()) == request


def call_of(arguments: dict[str, Any]) -> ToolCall:
    return ToolCall("c1", "book", arguments)


def read_back(arguments: dict[str, Any], tool: ToolSchema | None = None) -> dict[str, Any]:
    event = restored(call_of(arguments), asking(tool or book()))
    assert isinstance(event, ToolCall)
    return event.arguments


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ({"flight": "A1", "bags": None, "note": None}, {"flight": "A1"}),
        # Null is a value of its own where the tool allows it.
        ({"flight": "A1", "seat": None, "pet": None}, {"flight": "A1", "seat": None, "pet": None}),
        ({"flight": "A1", "anything": None}, {"flight": "A1", "anything": None}),
        # What is required and missing is for the tool to refuse.
        ({"flight": None}, {"flight": None}),
        ({"flight": "A1", "unheard_of": None}, {"flight": "A1", "unheard_of": None}),
        (
            {"flight": "A1", "items": [{"kg": None, "inner": [{"kg": None}]}]},
            {"flight": "A1", "items": [{"inner": [{}]}]},
        ),
        ({"flight": "A1", "pet": {"kind": "cat", "lives": None}}, {"flight": "A1", "pet": {"kind": "cat"}}),
        (
            {"flight": "A1", "pet": {"kind": "dog", "name": None}},
            {"flight": "A1", "pet": {"kind": "dog", "name": None}},
        ),
        (
            {"flight": "A1", "pet": {"kind": "cow", "lives": None}},
            {"flight": "A1", "pet": {"kind": "cow", "lives": None}},
        ),
    ],
)
def test_nulls_that_stand_for_what_was_left_out_are_removed(written: dict[str, Any], meant: dict[str, Any]) -> None:
    assert read_back(written) == meant


def test_what_a_strict_model_writes_validates_as_the_tool_was_defined() -> None:
    tool = book(Trip.model_json_schema())
    sent = fitted(asking(tool), STRICT).tools[0]
    assert sent.strict
    written = dict.fromkeys(sent.parameters["required"]) | {"flight": "A1"}
    assert Trip.model_validate(read_back(written, tool)) == Trip(flight="A1", seat=None)


async def test_a_strict_tool_is_sent_as_strict_and_called_as_it_was_defined() -> None:
    arguments = json.dumps({"flight": "A1", "bags": None, "seat": None})
    call = {"index": 0, "id": "a", "function": {"name": "book", "arguments": arguments}}
    answer = Answer(writes=[chunk({"tool_calls": [call]}), chunk(finish="tool_calls"), DONE])
    spec = {
        "provider_id": "fx",
        "provider_type": "openai_chat",
        "profile": {"schema_dialect": "strict", "output_cap": 9},
    }
    request = asking(book(Trip.model_json_schema()), max_output_tokens=100)
    async with FakeUpstream([answer]) as upstream:
        client = client_for(ProviderSpec(base_url=upstream.base_url, **spec), allow_private=True)
        response = await client.complete(ChatCall(request=request, emit=lambda event: None))

    body = upstream.requests[0].json
    [sent] = body["tools"]
    assert (sent["function"]["strict"], sent["function"]["parameters"]["additionalProperties"]) == (True, False)
    assert body["max_tokens"] == 9
    assert [item.arguments for item in response.calls] == [{"flight": "A1", "seat": None}]


@pytest.mark.parametrize(
    "parameters",
    [
        {"$ref": "#"},
        {"anyOf": [{"$ref": "#"}]},
        {"properties": {"a": {"anyOf": [{"$ref": "#/properties/a"}]}}},
        {"properties": {"a": {"anyOf": 3}}},
        {"properties": {"a": {"$ref": "#/properties/a"}}},
    ],
)
def test_a_schema_without_an_end_restores_nothing(parameters: dict[str, Any]) -> None:
    assert read_back({"a": None}, book(parameters)) == {"a": None}


@pytest.mark.parametrize("event", [TextDelta("null"), ToolCall("c1", "unheard_of", {"a": None})])
def test_what_is_no_call_of_a_known_tool_passes(event: Any) -> None:
    assert restored(event, asking(book())) is event
