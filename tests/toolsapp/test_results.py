"""Return values as JSON."""

import json
from collections import namedtuple
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum, IntEnum
from pathlib import Path
from uuid import UUID

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.utils.translation import gettext_lazy
from pydantic import BaseModel

from agentcore.tools import ToolResult
from toolsapp.errors import UnserialisableResult
from toolsapp.results import as_result


class Cabin(Enum):
    ECONOMY = "economy"


class Level(IntEnum):
    HIGH = 3


class Seat(BaseModel):
    row: int
    price: Decimal


@dataclass
class Trip:
    seat: Seat
    day: date


Point = namedtuple("Point", "x y")


@pytest.mark.parametrize(
    ("returned", "expected"),
    [
        (None, None),
        ({}, {}),
        (0, 0),
        (False, False),
        ("text", "text"),
        (gettext_lazy("The tool failed."), "The tool failed."),
        (Decimal("1.10"), "1.10"),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (date(2026, 1, 2), "2026-01-02"),
        (datetime(2026, 1, 2, 3, tzinfo=UTC), "2026-01-02T03:00:00Z"),
        (timedelta(hours=1), "PT1H"),
        (Cabin.ECONOMY, "economy"),
        (Level.HIGH, 3),
        (Path("a/b"), "a/b"),
        (
            Trip(Seat(row=1, price=Decimal("2.5")), date(2026, 1, 2)),
            {"seat": {"row": 1, "price": "2.5"}, "day": "2026-01-02"},
        ),
        ({1: {Cabin.ECONOMY: (1, 2)}}, {"1": {"economy": [1, 2]}}),
        ({"b", "a"}, ["a", "b"]),
        ((item for item in [1, Cabin.ECONOMY]), [1, "economy"]),
        (range(3), [0, 1, 2]),
        (Point(1, 2), [1, 2]),
        (float("nan"), "nan"),
        ("a\x00b\ud800", "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}"),
        ({"k\x00": ["\udfff"]}, {"k\N{REPLACEMENT CHARACTER}": ["\N{REPLACEMENT CHARACTER}"]}),
    ],
)
def test_return_value_becomes_json(returned, expected):
    result = as_result(returned)
    assert result == ToolResult(for_model=expected)
    json.dumps(result.for_model, allow_nan=False).encode()


@pytest.mark.parametrize("returned", [b"x", {"a": bytearray(b"x")}, [memoryview(b"x")], object(), {"a": object()}])
def test_value_without_a_json_form_is_a_clear_error(returned):
    with pytest.raises(UnserialisableResult, match="The tool returned"):
        as_result(returned)


def test_tool_result_passes_with_its_parts_as_json():
    result = as_result(ToolResult(for_model={"at": date(2026, 1, 2)}, for_ui=Cabin.ECONOMY, invalidates=("notes",)))
    assert result == ToolResult(for_model={"at": "2026-01-02"}, for_ui="economy", invalidates=("notes",))


@pytest.mark.django_db
def test_rows_and_querysets_become_their_columns():
    first = Group.objects.create(name="a")
    second = Group.objects.create(name="b")
    expected = [{"id": first.pk, "name": "a"}, {"id": second.pk, "name": "b"}]
    assert as_result(Group.objects.order_by("name")).for_model == expected
    assert as_result(Group.objects.order_by("name").values("name")).for_model == [{"name": "a"}, {"name": "b"}]
    assert as_result({"group": first}).for_model == {"group": expected[0]}


@pytest.mark.django_db
def test_user_row_never_carries_its_password():
    user = get_user_model().objects.create_user("ann", password="hunter2hunter2")
    assert user.password not in json.dumps(as_result(user).for_model)
