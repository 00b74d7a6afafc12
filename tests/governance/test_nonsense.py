"""Nonsense in every parameter of every page and endpoint: a clear message, never a failure, never a wrong list."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from agentcore.ids import uuid7
from agentcore.paging import Cursor
from governance.pages.audit import AUDIT
from governance.pages.cost import COST
from governance.pages.page import Page
from governance.pages.turns import TURNS

pytestmark = [pytest.mark.django_db, pytest.mark.database]

JUNK = [
    *("x", "\x00", "-1", "²", "\ud800", "' OR 1=1 --", "a" * 5_000, "99999999999999999999999"),
    *("2026-13-45", "9999-12-31", "00000000-0000-0000-0000-000000000000", "=1+1"),
]
PAGES = {"turns": TURNS, "audit": AUDIT, "cost": COST}
PARAMETERS = [(slug, name) for slug, page in PAGES.items() for name in [*page.filters.base_fields, "cursor"]]


@pytest.fixture
def admin(people: dict[str, User]) -> Client:
    client = Client()
    client.force_login(people["admin"])
    return client


def cursors() -> list[str]:
    """Those of other pages, and of this one with values that no row has."""
    values = [(uuid7(), 1), (uuid7(), -1), (uuid7(), 2**31), ("x", "y"), ("2026-01-01T00:00:00+00:00", uuid7())]
    return [
        Cursor(page=page, first=first, second=second, is_newer=is_newer).encode()
        for page in ("turns", "audit", "cost", "")
        for first, second in values
        for is_newer in (True, False)
    ]


@pytest.mark.parametrize(("slug", "name"), PARAMETERS)
def test_junk_is_answered(admin: Client, slug: str, name: str) -> None:
    for value in JUNK + (cursors() if name == "cursor" else []):
        quoted = {name: value.encode("utf-8", "surrogatepass")}
        page, answer = admin.get(f"/governance/{slug}/", quoted), admin.get(f"/api/governance/{slug}", quoted)

        assert page.status_code == 200, (name, value)
        assert answer.status_code in {200, 400}, (name, value)
        if answer.status_code == 400:
            assert answer.json()["error"]["code"] == "VALIDATION_ERROR"
            assert name in answer.json()["error"]["details"], (name, value)


@pytest.mark.parametrize("name", TURNS.filters.base_fields)
def test_junk_makes_no_file(admin: Client, name: str) -> None:
    for value in JUNK:
        response = admin.get("/governance/turns/export.csv", {name: value.encode("utf-8", "surrogatepass")})

        assert response.status_code in {200, 400}, (name, value)
        if response.status_code == 200:
            assert b"".join(response.streaming_content).startswith(b"run_id,")


@pytest.mark.parametrize("page", [AUDIT, COST], ids=lambda page: page.slug)
@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"since": "yesterday"}, "Enter a valid date"),
        ({"since": "2026-07-02", "until": "2026-07-01"}, "ends before it begins"),
        ({"period": "forever"}, "not one of the available choices"),
        ({"limit": "100000"}, "less than or equal to 200"),
    ],
)
def test_a_message_says_what_is_wrong(
    browse: Callable[..., Any], page: Page, query: dict[str, str], message: str
) -> None:
    shown = browse("admin", f"/governance/{page.slug}/", **query).content.decode()

    assert message in shown
    assert "One of the filters could not be understood" in shown


def test_a_span_of_centuries_is_refused(browse: Callable[..., Any]) -> None:
    shown = browse("admin", "/governance/cost/", since="2001-01-01", until="2999-01-01").content.decode()

    assert "at most three years" in shown


@pytest.mark.parametrize(
    "path", ["/governance/turns/x/", "/governance/turns/1/", "/governance/turns/01900000-0000-7000-8000-000000000000/"]
)
def test_an_unknown_turn_is_not_found(browse: Callable[..., Any], path: str) -> None:
    assert browse("admin", path).status_code == 404


@pytest.mark.parametrize("slug", PAGES)
def test_a_filter_that_is_misspelt_is_refused(admin: Client, slug: str) -> None:
    answer = admin.get(f"/api/governance/{slug}", {"usr": "ada"})

    assert (answer.status_code, list(answer.json()["error"]["details"])) == (400, ["usr"])
