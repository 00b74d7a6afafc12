"""Schemas from signatures."""

import json
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from agentcore.tools import ToolContext
from tests.toolsapp.cases import resolved, subschemas
from toolsapp.decorator import define
from toolsapp.errors import ToolDefinitionError
from toolsapp.schema import Signature


class Cabin(Enum):
    ECONOMY = "economy"
    BUSINESS = "business"


class Seat(BaseModel):
    """A seat."""

    row: Annotated[int, "The row", Field(ge=1)]
    title: str = "window"


@dataclass
class Passenger:
    name: Annotated[str, "As in the passport"]
    seat: Seat | None = None


class Meal(TypedDict, total=False):
    dish: Annotated[str, "What to eat"]


class Node(BaseModel):
    children: "list[Node]" = []


def schema_of(function: Any) -> dict[str, Any]:
    return Signature.of(function).parameters


def test_schema_of_everything_is_the_golden_one():
    def book(
        *,
        when: date,
        at: time,
        stay: timedelta,
        made: datetime,
        price: Annotated[Decimal, Field(gt=0)],
        order: UUID,
        cabin: Cabin,
        trip: Literal["one-way", "return"],
        who: list[Passenger],
        tags: set[str],
        pair: tuple[int, str],
        extra: dict[str, int | None],
        meal: Meal | None = None,
        note: str = "none",
    ) -> None: ...

    properties = schema_of(book)["properties"]
    assert list(properties) == [
        *(
            "when",
            "at",
            "stay",
            "made",
            "price",
            "order",
            "cabin",
            "trip",
            "who",
            "tags",
            "pair",
            "extra",
            "meal",
            "note",
        )
    ]
    assert {name: properties[name] for name in ("when", "at", "stay", "made", "order")} == {
        "when": {"type": "string", "format": "date"},
        "at": {"type": "string", "format": "time"},
        "stay": {"type": "string", "format": "duration"},
        "made": {"type": "string", "format": "date-time"},
        "order": {"type": "string", "format": "uuid"},
    }
    assert properties["cabin"] == {"$ref": "#/$defs/Cabin"}
    assert properties["trip"] == {"type": "string", "enum": ["one-way", "return"]}
    assert properties["tags"] == {"type": "array", "items": {"type": "string"}, "uniqueItems": True}
    assert properties["extra"] == {
        "type": "object",
        "additionalProperties": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    }
    assert properties["note"] == {"type": "string", "default": "none"}
    assert properties["price"]["anyOf"][0] == {"type": "number", "exclusiveMinimum": 0}
    assert properties["pair"]["prefixItems"] == [{"type": "integer"}, {"type": "string"}]


def test_every_reference_resolves_from_the_root():
    def seat(passengers: list[Passenger], tree: Node) -> None: ...

    schema = schema_of(seat)
    for part in subschemas(schema):
        resolved(schema, part)
    assert resolved(schema, schema["properties"]["passengers"]["items"])["properties"]["name"] == {
        "type": "string",
        "description": "As in the passport",
    }


@pytest.mark.parametrize(
    "annotation",
    [
        Annotated[int, "How many", Field(ge=1, le=10)],
        Annotated[int, Field(ge=1, le=10), "How many"],
        Annotated[int, Field(ge=1), "How many", Field(le=10)],
        Annotated[Annotated[int, "How many"], Field(ge=1, le=10)],
        Annotated[int, Field(ge=1, le=10, description="How many")],
        Annotated[int, "Overruled", Field(ge=1, le=10, description="How many")],
    ],
)
def test_annotations_count_in_any_order(annotation):
    def pick(count: Any) -> None: ...

    pick.__annotations__["count"] = annotation
    expected = {"type": "integer", "description": "How many", "minimum": 1, "maximum": 10}
    assert schema_of(pick)["properties"]["count"] == expected


def test_annotation_texts_are_kept_inside_containers_and_classes():
    def pick(counts: list[Annotated[int, "One of them"]], seat: Seat, meal: Meal) -> None: ...

    schema = schema_of(pick)
    assert schema["properties"]["counts"]["items"] == {"type": "integer", "description": "One of them"}
    assert schema["$defs"]["Seat"]["properties"]["row"] == {"type": "integer", "description": "The row", "minimum": 1}
    assert schema["$defs"]["Meal"]["properties"]["dish"] == {"type": "string", "description": "What to eat"}


def test_field_called_title_stays_and_titles_go():
    def seat(seat: Seat, title: str) -> None: ...

    schema = schema_of(seat)
    assert list(schema["properties"]) == ["seat", "title"]
    assert schema["$defs"]["Seat"]["properties"]["title"] == {"type": "string", "default": "window"}
    assert "title" not in schema


def test_schema_is_the_same_each_time():
    def seat(passenger: Passenger, cabin: Cabin, node: Node) -> None: ...

    assert json.dumps(schema_of(seat)) == json.dumps(schema_of(seat))


def test_names_that_pydantic_keeps_for_itself_are_free():
    def odd(schema: str, model_config: int, _hidden: str, json: str = "{}") -> None: ...

    assert list(schema_of(odd)["properties"]) == ["schema", "model_config", "_hidden", "json"]


def test_none_as_a_default_allows_null():
    def find(limit: int = None, page: int | None = None, free: Any = None) -> None: ...  # noqa: RUF013

    properties = schema_of(find)["properties"]
    assert properties["limit"] == properties["page"]
    assert properties["limit"]["anyOf"] == [{"type": "integer"}, {"type": "null"}]
    assert properties["free"] == {"default": None}


def test_default_that_json_cannot_hold_is_not_shown():
    def find(limit: int = object()) -> None: ...  # type: ignore[assignment]

    assert schema_of(find) == {
        "type": "object",
        "properties": {"limit": {"type": "integer"}},
        "additionalProperties": False,
    }


def test_no_parameters_is_an_empty_object():
    def ping() -> None: ...

    assert schema_of(ping) == {"type": "object", "properties": {}, "additionalProperties": False}


@pytest.mark.parametrize("annotation", [ToolContext, ToolContext | None, Annotated[ToolContext, "who"]])
def test_context_is_in_no_schema_whatever_its_name(annotation):
    def whose(text: str, anything: Any) -> None: ...

    whose.__annotations__["anything"] = annotation
    signature = Signature.of(whose)
    assert list(signature.parameters["properties"]) == ["text"]
    assert signature.contexts == ("anything",)


def many(*texts: str) -> None: ...


def named(**texts: str) -> None: ...


def positional(text: str, /) -> None: ...


def bare(text) -> None: ...  # type: ignore[no-untyped-def]


def forward(text: "Missing") -> None: ...  # type: ignore[name-defined]  # noqa: F821


def opaque(text: type("Opaque", (), {})) -> None: ...  # type: ignore[valid-type]


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (many, r"\*texts"),
        (named, r"\*\*texts"),
        (positional, "text by position"),
        (bare, "text has no annotation"),
        (forward, "Missing"),
        (opaque, "Opaque"),
    ],
)
def test_what_no_schema_can_say_is_refused_with_its_name(function, said):
    with pytest.raises(ToolDefinitionError, match=said):
        Signature.of(function)


def test_definition_hash_changes_with_what_the_tool_may_do():
    def one(text: str) -> None: ...

    def two(text: int) -> None: ...

    base = define(one, name="a").definition_hash
    assert base == define(one, name="a", description="Another", category="x", timeout_s=3).definition_hash
    others = [
        define(one, name="b"),
        define(two, name="a"),
        define(one, name="a", effect="write"),
        define(one, name="a", permission="auth.view_user"),
    ]
    assert base not in {item.definition_hash for item in others}
