"""Tool schemas for each target: golden cases, and what holds for all of them."""

import copy
import json
from datetime import date
from enum import Enum
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field

from agentcore.providers.profile import SchemaDialect
from agentcore.providers.schema_refs import MAX_DEPTH, MAX_SCHEMAS
from agentcore.providers.schemas import transformed

FULL, INLINED, STRICT, OPENAPI = (
    SchemaDialect.FULL,
    SchemaDialect.INLINED,
    SchemaDialect.STRICT,
    SchemaDialect.OPENAPI,
)


class Cabin(Enum):
    ECONOMY = "economy"
    BUSINESS = "business"


class Passenger(BaseModel):
    name: str = Field(min_length=1, description="As in the passport.")
    born: date


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int = 9


class Dog(BaseModel):
    kind: Literal["dog"]


class Node(BaseModel):
    label: str
    children: list["Node"] = []


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Nested(BaseModel):
    lead: Passenger = Field(description="Who pays.")
    others: list[Passenger] = Field(min_length=1)


class Optionals(BaseModel):
    cabin: Cabin = Cabin.ECONOMY
    seat: Literal["window", "aisle"] | None = None
    bags: int = Field(default=1, ge=0)
    kind: Literal["one way"] = "one way"
    # Named like keywords, and none of them is one.
    title: str = "Trip"
    default: str


class Unions(BaseModel):
    ref: str | int
    pet: Annotated[Cat | Dog, Field(discriminator="kind")]


class Counts(BaseModel):
    by_city: dict[str, int]


class Tree(BaseModel):
    root: Node


STRING = {"type": "string"}
PASSENGER_STRICT = {
    "properties": {
        "name": {"description": "As in the passport. (minLength: 1)", "type": "string"},
        "born": {"format": "date", "type": "string"},
    },
    "required": ["name", "born"],
    "type": "object",
    "additionalProperties": False,
}
PASSENGER_OPENAPI = {
    "properties": {
        "name": {"description": "As in the passport. (minLength: 1)", "type": "string"},
        "born": {"description": '(format: "date")', "type": "string"},
    },
    "required": ["name", "born"],
    "type": "object",
}
NODE_STRICT = {
    "properties": {
        "label": STRING,
        "children": {
            "items": {"$ref": "#/$defs/Node"},
            "type": ["array", "null"],
            "description": "(default: [])",
        },
    },
    "required": ["label", "children"],
    "type": "object",
    "additionalProperties": False,
}
NODE_OPENAPI = {
    "properties": {
        "label": STRING,
        "children": {"items": {"type": "object"}, "type": "array", "description": "(default: [])"},
    },
    "required": ["label"],
    "type": "object",
}

GOLDEN: list[tuple[type[BaseModel], SchemaDialect, dict[str, Any]]] = [
    (
        Nested,
        STRICT,
        {
            "$defs": {"Passenger": PASSENGER_STRICT},
            "properties": {
                "lead": {"anyOf": [{"$ref": "#/$defs/Passenger"}], "description": "Who pays."},
                "others": {"items": {"$ref": "#/$defs/Passenger"}, "minItems": 1, "type": "array"},
            },
            "required": ["lead", "others"],
            "type": "object",
            "additionalProperties": False,
        },
    ),
    (
        Nested,
        OPENAPI,
        {
            "properties": {
                "lead": PASSENGER_OPENAPI | {"description": "Who pays."},
                "others": {"items": PASSENGER_OPENAPI, "minItems": 1, "type": "array"},
            },
            "required": ["lead", "others"],
            "type": "object",
        },
    ),
    (
        Optionals,
        STRICT,
        {
            "$defs": {"Cabin": {"enum": ["economy", "business"], "type": "string"}},
            "properties": {
                "cabin": {
                    "anyOf": [{"$ref": "#/$defs/Cabin"}, {"type": "null"}],
                    "description": '(default: "economy")',
                },
                "seat": {"anyOf": [{"enum": ["window", "aisle"], "type": "string"}, {"type": "null"}]},
                "bags": {"minimum": 0, "type": ["integer", "null"], "description": "(default: 1)"},
                "kind": {
                    "enum": ["one way", None],
                    "type": ["string", "null"],
                    "description": '(default: "one way")',
                },
                "title": {"type": ["string", "null"], "description": '(default: "Trip")'},
                "default": STRING,
            },
            "required": ["cabin", "seat", "bags", "kind", "title", "default"],
            "type": "object",
            "additionalProperties": False,
        },
    ),
    (
        Optionals,
        OPENAPI,
        {
            "properties": {
                "cabin": {"enum": ["economy", "business"], "type": "string", "description": '(default: "economy")'},
                "seat": {"enum": ["window", "aisle"], "type": "string", "nullable": True},
                "bags": {"minimum": 0, "type": "integer", "description": "(default: 1)"},
                "kind": {"enum": ["one way"], "type": "string", "description": '(default: "one way")'},
                "title": {"type": "string", "description": '(default: "Trip")'},
                "default": STRING,
            },
            "required": ["default"],
            "type": "object",
        },
    ),
    (
        Unions,
        STRICT,
        {
            "$defs": {
                "Cat": {
                    "properties": {
                        "kind": {"const": "cat", "type": "string"},
                        "lives": {"type": ["integer", "null"], "description": "(default: 9)"},
                    },
                    "required": ["kind", "lives"],
                    "type": "object",
                    "additionalProperties": False,
                },
                "Dog": {
                    "properties": {"kind": {"const": "dog", "type": "string"}},
                    "required": ["kind"],
                    "type": "object",
                    "additionalProperties": False,
                },
            },
            "properties": {
                "ref": {"anyOf": [STRING, {"type": "integer"}]},
                "pet": {"anyOf": [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}]},
            },
            "required": ["ref", "pet"],
            "type": "object",
            "additionalProperties": False,
        },
    ),
    (
        Unions,
        OPENAPI,
        {
            "properties": {
                "ref": {"anyOf": [STRING, {"type": "integer"}]},
                "pet": {
                    "anyOf": [
                        {
                            "properties": {
                                "kind": {"enum": ["cat"], "type": "string"},
                                "lives": {"type": "integer", "description": "(default: 9)"},
                            },
                            "required": ["kind"],
                            "type": "object",
                        },
                        {
                            "properties": {"kind": {"enum": ["dog"], "type": "string"}},
                            "required": ["kind"],
                            "type": "object",
                        },
                    ]
                },
            },
            "required": ["ref", "pet"],
            "type": "object",
        },
    ),
    (
        Tree,
        STRICT,
        {
            "$defs": {"Node": NODE_STRICT},
            "properties": {"root": {"$ref": "#/$defs/Node"}},
            "required": ["root"],
            "type": "object",
            "additionalProperties": False,
        },
    ),
    (Node, STRICT, NODE_STRICT | {"$defs": {"Node": NODE_STRICT}}),
    (Tree, OPENAPI, {"properties": {"root": NODE_OPENAPI}, "required": ["root"], "type": "object"}),
    (Node, OPENAPI, NODE_OPENAPI),
    (
        Tree,
        INLINED,
        {
            "properties": {
                "root": {
                    "properties": {
                        "label": STRING | {"title": "Label"},
                        "children": {
                            "default": [],
                            "items": {"type": "object"},
                            "title": "Children",
                            "type": "array",
                        },
                    },
                    "required": ["label"],
                    "title": "Node",
                    "type": "object",
                }
            },
            "required": ["root"],
            "title": "Tree",
            "type": "object",
        },
    ),
    (
        Counts,
        OPENAPI,
        {
            "properties": {"by_city": {"type": "object", "description": '(additionalProperties: {"type": "integer"})'}},
            "required": ["by_city"],
            "type": "object",
        },
    ),
    (Closed, STRICT, {"properties": {}, "required": [], "type": "object", "additionalProperties": False}),
    (Closed, OPENAPI, {"properties": {}, "type": "object"}),
]
MODELS = [Nested, Optionals, Unions, Counts, Tree, Node, Closed]


def named(case: object) -> str | None:
    return case.__name__ if isinstance(case, type) else case.value if isinstance(case, SchemaDialect) else ""


@pytest.mark.parametrize(("model", "dialect", "golden"), GOLDEN, ids=named)
def test_a_schema_is_rewritten_for_its_target(
    model: type[BaseModel], dialect: SchemaDialect, golden: dict[str, Any]
) -> None:
    assert transformed(model.model_json_schema(), dialect) == (golden, dialect is STRICT)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("dialect", SchemaDialect)
def test_a_rewritten_schema_stays_as_it_is(model: type[BaseModel], dialect: SchemaDialect) -> None:
    once = transformed(model.model_json_schema(), dialect)
    assert transformed(once[0], dialect) == once


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("dialect", SchemaDialect)
def test_a_schema_is_never_changed_and_always_rewritten_alike(model: type[BaseModel], dialect: SchemaDialect) -> None:
    schema = model.model_json_schema()
    before = copy.deepcopy(schema)
    # Compared as text, so that the order counts.
    assert json.dumps(transformed(schema, dialect)) == json.dumps(transformed(before, dialect))
    assert json.dumps(schema) == json.dumps(before)


def test_a_full_schema_is_the_same_object() -> None:
    schema = Nested.model_json_schema()
    assert transformed(schema, FULL)[0] is schema


def of_one(part: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": part}, "required": ["a"]}


CANNOT_BE_STRICT = [
    {"type": "object"},
    {"type": "object", "additionalProperties": True},
    {"type": "object", "properties": {}, "additionalProperties": STRING},
    {"type": "object", "properties": {"a": STRING}, "required": ["b"]},
    {"type": "array"},
    {"type": "array", "prefixItems": [STRING], "items": STRING},
    {"allOf": [{"type": "object", "properties": {}}, {"type": "object", "properties": {}}]},
    {"anyOf": [STRING, {"type": "object"}]},
    {"type": "string", "not": {"const": "x"}},
    {"$ref": "#/$defs/A", "minLength": 3},
    {"description": "Anything."},
    {"anyOf": [STRING, True]},
]


@pytest.mark.parametrize("part", CANNOT_BE_STRICT, ids=json.dumps)
def test_a_schema_that_cannot_be_strict_is_sent_as_it_is(part: dict[str, Any]) -> None:
    assert transformed(of_one(part), STRICT) == (of_one(part), False)


@pytest.mark.parametrize("root", [{"type": "array", "items": STRING}, {"anyOf": [of_one(STRING)]}, {}])
def test_only_an_object_can_be_a_strict_root(root: dict[str, Any]) -> None:
    assert transformed(root, STRICT) == (root, False)


def test_a_reference_that_stands_alone_in_all_of_is_one_reference() -> None:
    schema = of_one({"allOf": [{"$ref": "#/$defs/A"}]}) | {"$defs": {"A": STRING}}
    assert transformed(schema, STRICT)[0]["properties"]["a"] == {"anyOf": [{"$ref": "#/$defs/A"}]}


OPENAPI_PARTS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"type": ["string", "null"]}, {"type": "string", "nullable": True}),
    ({"type": ["string", "integer"]}, {"anyOf": [STRING, {"type": "integer"}]}),
    (
        {"anyOf": [STRING, {"type": "integer"}, {"type": "null"}]},
        {"anyOf": [STRING, {"type": "integer"}], "nullable": True},
    ),
    ({"enum": ["a", None]}, {"type": "string", "enum": ["a"], "nullable": True}),
    ({"type": "integer", "enum": [1, 2]}, {"type": "integer", "description": "(one of: [1, 2])"}),
    ({"const": "a"}, {"type": "string", "enum": ["a"]}),
    ({"const": 1}, {"description": "(one of: [1])"}),
    ({"type": "string", "format": "date-time"}, {"type": "string", "format": "date-time"}),
    (
        {"type": "string", "format": "email", "description": "Whose."},
        {"type": "string", "description": 'Whose. (format: "email")'},
    ),
    ({"type": "integer", "exclusiveMinimum": 0}, {"type": "integer", "description": "(exclusiveMinimum: 0)"}),
    ({"type": "array"}, {"type": "array", "items": {"type": "object"}}),
    (
        {"type": "array", "prefixItems": [STRING, {"type": "integer"}]},
        {"type": "array", "items": {"anyOf": [STRING, {"type": "integer"}]}},
    ),
    (
        {"allOf": [of_one(STRING), {"properties": {"b": STRING}, "required": ["b"]}]},
        {"type": "object", "properties": {"a": STRING, "b": STRING}, "required": ["a", "b"]},
    ),
    (
        {"type": "object", "properties": {"a": STRING}, "required": ["z"]},
        {"type": "object", "properties": {"a": STRING}},
    ),
    ({"$schema": "x", "title": "T", "additionalProperties": False, "type": "object"}, {"type": "object"}),
    (
        {"type": "object", "properties": {"title": STRING, "const": STRING}},
        {"type": "object", "properties": {"title": STRING, "const": STRING}},
    ),
]


@pytest.mark.parametrize(("part", "said"), OPENAPI_PARTS)
def test_openapi_says_it_in_its_own_words(part: dict[str, Any], said: dict[str, Any]) -> None:
    assert transformed(part, OPENAPI)[0] == said


@pytest.mark.parametrize(
    ("reference", "meant"),
    [
        ("#/$defs/A", STRING),
        ("#/definitions/B~1C%20D", {"type": "integer"}),
        ("#/oneOf/0", {"type": "null"}),
        ("#/oneOf/9", {}),
        ("#/nowhere", {}),
        ("https://example.com/schema.json", {}),
    ],
)
def test_a_reference_is_followed_inside_its_document_only(reference: str, meant: dict[str, Any]) -> None:
    root = {
        "$defs": {"A": STRING},
        "definitions": {"B/C D": {"type": "integer"}},
        "oneOf": [{"type": "null"}],
        "properties": {"a": {"$ref": reference}},
    }
    assert transformed(root, INLINED)[0]["properties"]["a"] == meant


def test_what_stands_beside_a_reference_wins() -> None:
    schema = {
        "$defs": {"A": STRING | {"description": "Any."}},
        "properties": {"a": {"$ref": "#/$defs/A", "description": "Mine."}},
    }
    assert transformed(schema, INLINED)[0] == {"properties": {"a": {"type": "string", "description": "Mine."}}}


def ten_of(level: int) -> dict[str, Any]:
    return {f"p{number}": {"$ref": f"#/$defs/d{level}"} for number in range(10)}


def bomb() -> dict[str, Any]:
    """Each definition uses the next one ten times."""
    definitions = {f"d{level}": {"type": "object", "properties": ten_of(level + 1)} for level in range(12)}
    return {"type": "object", "properties": ten_of(0), "$defs": definitions | {"d12": STRING}}


def deep(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = STRING
    for _level in range(levels):
        schema = {"type": "object", "properties": {"a": schema}}
    return schema


@pytest.mark.parametrize("dialect", [INLINED, OPENAPI])
def test_a_schema_that_grows_without_end_is_cut(dialect: SchemaDialect) -> None:
    assert len(json.dumps(transformed(bomb(), dialect)[0])) < 100 * MAX_SCHEMAS


@pytest.mark.parametrize("dialect", [INLINED, OPENAPI])
def test_a_deep_schema_keeps_its_upper_levels(dialect: SchemaDialect) -> None:
    said = json.dumps(transformed(deep(100), dialect)[0])
    assert 10 < said.count("properties") <= MAX_DEPTH + 1


@pytest.mark.parametrize("dialect", SchemaDialect)
@pytest.mark.parametrize("levels", [100, 20_000])
def test_a_schema_that_is_too_deep_is_cut_or_left_alone(dialect: SchemaDialect, levels: int) -> None:
    schema = deep(levels)
    cut, is_strict = transformed(schema, dialect)
    assert not is_strict
    assert cut is schema or len(json.dumps(cut)) < 10_000


@pytest.mark.parametrize("dialect", SchemaDialect)
@pytest.mark.parametrize(
    "schema",
    [
        {"properties": True},
        {"type": "object", "required": True, "properties": {"a": STRING}},
        {"type": {"a": 1}},
        {"anyOf": 3},
        {"allOf": [1, None]},
        {"enum": "abc"},
        {"$ref": 7},
        {"properties": {"a": None}},
    ],
    ids=json.dumps,
)
def test_what_is_no_schema_breaks_nothing(dialect: SchemaDialect, schema: dict[str, Any]) -> None:
    assert transformed(schema, dialect)[1] is False
