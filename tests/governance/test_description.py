"""The parameters of the records' API in OpenAPI say what the filters' forms take."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User

from tests.api.description import description

STATUSES = ["running", "completed", "failed", "cancelled"]
ACTIONS = ["request", "tool_call", "tool_result", "guardrail", "approval", "stop", "error"]
PERIODS = ["today", "7d", "30d", "this_month", "last_month"]


def schemas(slug: str) -> dict[str, dict[str, Any]]:
    found = description()["paths"][f"/api/governance/{slug}"]["get"]["parameters"]
    return {parameter["name"]: parameter["schema"] for parameter in found}


@pytest.mark.parametrize(
    ("slug", "name", "schema"),
    [
        ("turns", "status", {"type": "string", "enum": STATUSES}),
        ("turns", "unpriced", {"type": "string", "enum": ["1"]}),
        ("turns", "period", {"type": "string", "enum": PERIODS}),
        ("turns", "since", {"type": "string", "format": "date"}),
        ("turns", "run_id", {"type": "string", "format": "uuid"}),
        ("turns", "limit", {"type": "integer", "minimum": 1, "maximum": 200, "default": 50}),
        ("turns", "user", {"type": "string", "maxLength": 150}),
        ("audit", "action", {"type": "string", "enum": ACTIONS}),
        ("audit", "until", {"type": "string", "format": "date"}),
        ("cost", "period", {"type": "string", "enum": PERIODS}),
        ("cost", "currency", {"type": "string", "maxLength": 3}),
    ],
)
def test_a_parameter_is_described_as_its_form_checks_it(slug: str, name: str, schema: dict[str, Any]) -> None:
    assert schemas(slug)[name] == schema


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["limit", "cursor"])
def test_what_is_no_list_refuses_the_parameters_of_one(
    people: dict[str, User], browse: Callable[..., Any], name: str
) -> None:
    answer = browse("operator", "/api/governance/cost", **{name: "1"})

    assert (answer.status_code, list(answer.json()["error"]["details"])) == (400, [name])
    assert name not in schemas("cost")
