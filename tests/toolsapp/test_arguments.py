"""Arguments of a call: lenient where that is safe, and never repeated in an error."""

import json
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, field_validator

from agentcore.errors import ToolArgumentsInvalid
from toolsapp.arguments import validated
from toolsapp.schema import Signature


class Address(BaseModel):
    street: str
    zip: int


@dataclass
class Person:
    name: str
    addresses: list[Address]


class Cabin(Enum):
    ECONOMY = "economy"


class Code(BaseModel):
    value: str

    @field_validator("value")
    @classmethod
    def check(cls, value: str) -> str:
        if value.startswith("echo"):
            raise ValueError(f"{value} is wrong")
        if value == "short":
            raise ValueError("give at least ten letters")
        return value


def one(annotation: Any, value: Any) -> Any:
    """``value`` as a tool with one parameter gets it."""

    def tool(x: Any) -> None: ...

    tool.__annotations__["x"] = annotation
    return validated(Signature.of(tool), {"x": value})["x"]


def problems(annotation: Any, value: Any) -> list[dict[str, str]]:
    with pytest.raises(ToolArgumentsInvalid) as caught:
        one(annotation, value)
    return caught.value.details


@pytest.mark.parametrize(
    ("annotation", "sent", "got"),
    [
        (int, "5", 5),
        (int, 5.0, 5),
        (float, "3.5", 3.5),
        (bool, "true", True),
        (bool, "False", False),
        (str, 12345, "12345"),
        (int | None, None, None),
        (int | None, "7", 7),
        (list[int], '["1", 2]', [1, 2]),
        (list[int], ["1", "2"], [1, 2]),
        (dict[str, int], ' {"a": 1}', {"a": 1}),
        (dict[str, list[int]], {"a": "[1]"}, {"a": [1]}),
        (list[list[int]], '["[1]"]', [[1]]),
        (list[int] | None, "[1]", [1]),
        (list[int] | dict[str, int], '{"a": 1}', {"a": 1}),
        (set[str], '["a"]', {"a"}),
        (tuple[int, str], '[1, "a"]', (1, "a")),
        (Address, '{"street": "S", "zip": "1"}', Address(street="S", zip=1)),
        (Person, {"name": "N", "addresses": '[{"street": "S", "zip": 1}]'}, Person("N", [Address(street="S", zip=1)])),
        (date, "2026-01-02", date(2026, 1, 2)),
        (Decimal, "1.10", Decimal("1.10")),
        (UUID, "12345678-1234-5678-1234-567812345678", UUID("12345678123456781234567812345678")),
        (Cabin, "economy", Cabin.ECONOMY),
        (str, '["stays", "text"]', '["stays", "text"]'),
        (str | list[str], '["stays", "text"]', '["stays", "text"]'),
    ],
)
def test_argument_is_taken_where_that_is_safe(annotation, sent, got):
    assert one(annotation, sent) == got
    assert type(one(annotation, sent)) is type(got)


@pytest.mark.parametrize(
    ("annotation", "sent"),
    [
        (int, "3.14"),
        (int, 3.14),
        (int, "hello-secret"),
        (int, ""),
        (int, None),
        (str, None),
        (str, ["secret"]),
        (str, True),
        (list[str], "a,b"),
        (list[str], None),
        (list[str], '["unterminated'),
        (list[str], '{"a": "secret"}'),
        (dict[str, str], "secret"),
        (bool, "maybe-secret"),
        (date, "tomorrow-secret"),
        (UUID, "not-a-uuid-secret"),
        (Cabin, "first-secret"),
        (Literal["a", "b"], "secret"),
        (Annotated[int, Field(ge=1, le=10)], 987654),
        (Annotated[str, Field(max_length=3)], "secret"),
        (Annotated[str, Field(pattern="^x$")], "secret"),
        (Code, {"value": "echo-secret"}),
    ],
)
def test_argument_that_does_not_fit_is_named_and_not_repeated(annotation, sent):
    found = problems(annotation, sent)
    assert found[0]["path"].startswith("x")
    assert "secret" not in json.dumps(found)
    assert "987654" not in json.dumps(found)


def test_path_leads_into_what_is_nested():
    found = problems(Person, {"name": "N", "addresses": [{"street": "S", "zip": "no"}]})
    assert found[0]["path"] == "x.addresses.0.zip"


def test_text_of_a_validator_reaches_the_model_when_it_repeats_nothing():
    assert problems(Code, {"value": "short"})[0]["problem"] == "give at least ten letters"


def test_unknown_and_missing_arguments_are_named():
    def tool(x: int) -> None: ...

    with pytest.raises(ToolArgumentsInvalid) as caught:
        validated(Signature.of(tool), {"user_id": 3})
    assert {item["path"] for item in caught.value.details} == {"x", "user_id"}
    assert "user_id" in caught.value.message


def test_defaults_are_filled_in_and_not_shared():
    def tool(tags: list[str] = ["a"], limit: int = Field(default=3, le=5)) -> None: ...  # noqa: B006

    signature = Signature.of(tool)
    first = validated(signature, {})
    first["tags"].append("b")
    assert validated(signature, {}) == {"tags": ["a"], "limit": 3}


@pytest.mark.parametrize("arguments", [None, [], "text", 5])
def test_arguments_that_are_no_object_are_invalid(arguments):
    def tool(x: int = 1) -> None: ...

    with pytest.raises(ToolArgumentsInvalid):
        validated(Signature.of(tool), arguments)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


def everything(a: int, b: list[Person], c: dict[str, float] | None = None, d: Cabin | date = Cabin.ECONOMY) -> None: ...


EVERYTHING = Signature.of(everything)


@given(st.dictionaries(st.sampled_from(["a", "b", "c", "d", "e"]), JSON | JSON.map(json.dumps)))
def test_arbitrary_json_is_valid_or_a_typed_error(arguments):
    with suppress(ToolArgumentsInvalid):
        assert set(validated(EVERYTHING, arguments)) == {"a", "b", "c", "d"}
