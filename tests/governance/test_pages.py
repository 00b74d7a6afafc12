"""The pages: who may open them, what they show, what they withhold, and what they make of nonsense."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from agentcore.chat import Route
from agentcore.ids import uuid7
from agentcore.messages import Usage
from agentcore.models import Run, RunEvent
from agentcore.observers import Cost, ModelCallFinished, RunEnded, RunStarted, ToolCallStarted
from governance.links import turn_link
from governance.models import ModelCall, Turn
from governance.services.audit import audit_record
from governance.services.ledger import ledger_record
from tests.governance.conftest import LEDGER

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def told(
    people: dict[str, User], run_id: UUID, started: RunStarted, call_finished: ModelCallFinished, ended: RunEnded
) -> str:
    """A whole turn of the owner, with a tool call, events and audit; the path of its page."""
    owner = people["owner"]
    begun = replace(started, user_id=str(owner.pk), username="owner", input="canary input")
    tool = ToolCallStarted(
        at=begun.at,
        step=1,
        call_id="c1",
        name="system.echo",
        arguments={"text": "canary argument"},
        effect="read",
        category="system",
    )
    batch = [begun, call_finished, tool, replace(ended, started=begun)]
    ledger_record(run_id, batch)
    audit_record(run_id, batch)
    run = Run.objects.create(id=run_id, user=owner, username="owner", agent="assistant", status="completed")
    events: list[tuple[str, dict[str, Any]]] = [
        ("RunStarted", {"agent": "assistant", "input": "canary input", "config": {}}),
        ("TextDelta", {"message_id": "m1", "text": "canary "}),
        ("TextDelta", {"message_id": "m1", "text": "answer"}),
        ("MessageCompleted", {"message_id": "m1", "text": "canary answer"}),
        ("ToolCallCompleted", {"call_id": "c1", "name": "system.echo", "status": "done", "result": "canary result"}),
        ("RunCompleted", {"output": "canary answer", "finish_reason": "stop"}),
    ]
    RunEvent.objects.bulk_create(
        RunEvent(run=run, sequence=sequence, type=type, data=data, created_at=begun.at + timedelta(seconds=sequence))
        for sequence, (type, data) in enumerate(events)
    )
    return f"{LEDGER}{run_id}/"


@pytest.mark.parametrize(
    ("name", "status"),
    [("", 302), ("owner", 403), ("other", 403), ("staff", 403), ("operator", 200), ("admin", 200)],
)
@pytest.mark.parametrize("which", ["ledger", "turn", "unknown turn"])
def test_who_may_open_what(browse: Callable[..., Any], told: str, which: str, name: str, status: int) -> None:
    paths = {"ledger": LEDGER, "turn": told, "unknown turn": f"{LEDGER}{uuid7()}/"}
    expected = 404 if which == "unknown turn" and status == 200 else status

    response = browse(name, paths[which])

    assert response.status_code == expected
    if expected == 302:
        assert response.headers["Location"].startswith("/accounts/login/?next=/governance/turns/")


@pytest.mark.parametrize("name", ["operator", "admin"])
def test_others_see_the_turn_without_its_text(browse: Callable[..., Any], told: str, name: str) -> None:
    page = browse(name, told).content.decode()

    assert "canary" not in page
    assert "MessageCompleted" in page
    assert "system.echo" in page
    assert "13 characters withheld" in page
    assert "only theirs to read" in page


def test_what_was_estimated_is_marked_also_where_it_is_nothing(browse: Callable[..., Any], told: str) -> None:
    Turn.objects.update(usage_estimated=True, input_tokens=0, output_tokens=0)
    ModelCall.objects.update(usage_estimated=True, input_tokens=0, output_tokens=0)

    page = browse("operator", told).content.decode()

    assert page.count("≈ 0") == 2 + 2 * ModelCall.objects.count()


def test_the_filters_say_that_they_compare_whole_texts(people: Any, browse: Callable[..., Any]) -> None:
    assert "only when it is written out in full" in browse("operator").content.decode()


def test_the_owner_sees_the_text_of_the_turn(people: dict[str, User], browse: Callable[..., Any], told: str) -> None:
    people["owner"].user_permissions.add(Permission.objects.get(codename="view_turn"))

    page = browse("owner", told).content.decode()

    assert "canary answer" in page
    assert "canary result" in page


def test_the_audit_part_needs_its_own_permission(
    people: dict[str, User], browse: Callable[..., Any], told: str
) -> None:
    assert 'id="audit"' in browse("operator", told).content.decode()
    people["operator"].user_permissions.remove(Permission.objects.get(codename="view_auditevent"))

    assert 'id="audit"' not in browse("operator", told).content.decode()


def test_events_are_in_order_and_deltas_are_one_line(browse: Callable[..., Any], told: str) -> None:
    page = browse("operator", told).content.decode()
    events = page[page.index('id="events"') : page.index('id="audit"')]

    assert re.findall(r"<strong>(\w+)</strong>", events) == [
        "RunStarted",
        "TextDelta",
        "MessageCompleted",
        "ToolCallCompleted",
        "RunCompleted",
    ]
    assert "1–2" in events


def test_a_turn_whose_run_is_gone_keeps_its_page(browse: Callable[..., Any], told: str) -> None:
    Run.objects.all().delete()

    page = browse("operator", told).content.decode()

    assert "no longer kept" in page
    assert "mock/mock-1" in page


@pytest.mark.parametrize("after", ["x", "-5", "99999999999999999999", "²", "3"])
def test_any_place_among_the_events_is_answered(browse: Callable[..., Any], told: str, after: str) -> None:
    assert browse("operator", told, after=after).status_code == 200


@pytest.mark.parametrize("name", ["operator", "admin"])
@pytest.mark.parametrize("which", ["ledger", "turn"])
def test_a_page_takes_at_most_eight_queries(people: dict[str, User], told: str, which: str, name: str) -> None:
    client = Client()
    client.force_login(people[name])

    with CaptureQueriesContext(connection) as captured:
        client.get(LEDGER if which == "ledger" else told)

    assert len(captured) <= 8, [query["sql"] for query in captured.captured_queries]


@pytest.fixture
def many(started: RunStarted, ended: RunEnded) -> list[UUID]:
    """Six turns a day apart: two failed, one in euro, one unpriced, one that runs; newest last."""
    changes: list[dict[str, Any]] = [
        {},
        {"status": "failed", "error": {"code": "PROVIDER_TIMEOUT", "message": ""}, "answered": None},
        {"status": "failed", "error": {"code": "INTERNAL_ERROR", "message": ""}},
        {"cost": Cost(amount=Decimal("1.5"), currency="EUR")},
        {"cost": Cost(), "answered": Route("local", "tiny"), "usage": Usage(input_tokens=1_000, output_tokens=1)},
    ]
    made = [uuid7() for _change in range(6)]
    for day, change in enumerate(changes):
        begun = replace(started, at=started.at + timedelta(days=day), username=f"user{day}", agent=f"agent{day}")
        ledger_record(made[day], [replace(ended, **({"started": begun} | change))])
    ledger_record(made[5], [replace(started, at=started.at + timedelta(days=5), username="user5")])
    return made


def test_figures_of_a_part_of_the_list_say_so(
    many: list[UUID], browse: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = browse("admin", user_id="7").content.decode()
    monkeypatch.setattr("governance.usage.MOST_TURNS", 6)
    part = browse("admin", user_id="7").content.decode()

    assert "These figures are those of the newest" not in whole
    assert "These figures are those of the newest" in part
    assert "These figures are those of the newest" not in browse("admin").content.decode()


def shown(response: Any) -> list[UUID]:
    return [
        UUID(found) for found in re.findall(rf'<td[^>]*>\s*<a href="{LEDGER}([0-9a-f-]+)/">', response.content.decode())
    ]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({}, [5, 4, 3, 2, 1, 0]),
        ({"user": "user3"}, [3]),
        ({"user_id": "7"}, [5, 4, 3, 2, 1, 0]),
        ({"user_id": "7", "user": "user3"}, [3]),
        ({"user_id": "8f14e45f-ceea"}, []),
        # A name, although it is a number and somebody's id.
        ({"user": "7"}, []),
        ({"agent": "agent2"}, [2]),
        ({"provider": "local"}, [4]),
        ({"provider": "mock"}, [5, 3, 2, 1, 0]),
        ({"model": "tiny"}, [4]),
        ({"status": "failed"}, [2, 1]),
        ({"status": "running"}, [5]),
        ({"error_code": "PROVIDER_TIMEOUT"}, [1]),
        ({"since": "2026-07-03"}, [5, 4, 3, 2]),
        ({"until": "2026-07-02"}, [1, 0]),
        ({"since": "2026-07-02", "until": "2026-07-02"}, [1]),
        ({"status": "failed", "user": "user2"}, [2]),
        ({"user": " user3 "}, [3]),
        ({"user": "nobody"}, []),
        ({"limit": "2"}, [5, 4]),
    ],
)
def test_filters(browse: Callable[..., Any], many: list[UUID], query: dict[str, str], expected: list[int]) -> None:
    assert shown(browse("operator", **query)) == [many[place] for place in expected]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"status": "nope"}, "not one of the available choices"),
        ({"since": "yesterday"}, "Enter a valid date"),
        ({"until": "0001-01-01"}, "greater than or equal"),
        ({"since": "9999-12-31"}, "less than or equal"),
        ({"since": "2026-07-02", "until": "2026-07-01"}, "ends before it begins"),
        ({"conversation_id": "1"}, "Enter a valid UUID"),
        ({"user": "x" * 5_000}, "at most 150 characters"),
        ({"user": "a\x00b"}, "No record fits these filters"),
        ({"limit": "100000"}, "less than or equal to 200"),
        ({"limit": "zero"}, "Enter a whole number"),
        ({"cursor": "nonsense"}, "could not be understood, so this is its beginning"),
    ],
)
def test_nonsense_gets_a_clear_message(
    browse: Callable[..., Any], many: list[UUID], query: dict[str, str], message: str
) -> None:
    response = browse("operator", **query)

    assert response.status_code == 200
    assert message in response.content.decode()
    assert bool(shown(response)) == ("cursor" in query)


def test_a_filtered_list_can_be_paged(browse: Callable[..., Any], many: list[UUID]) -> None:
    first = browse("operator", status="failed", limit="1")
    older = re.search(r'rel="next" href="\?([^"]+)"', first.content.decode())
    assert older
    second = browse("operator", **dict(part.split("=", 1) for part in older[1].replace("&amp;", "&").split("&")))

    assert (shown(first), shown(second)) == ([many[2]], [many[1]])


def test_cards_add_up_what_is_listed(browse: Callable[..., Any], many: list[UUID]) -> None:
    page = browse("operator").content.decode()
    values = re.findall(r'class="gv-value">(?:<a[^>]+>)?([^<]+)<', page)

    assert values == ["6", "1,048", "21", "0.0000375 USD", "1", "40.0%"]
    assert "1.50 EUR" in page


def test_what_people_wrote_is_escaped(browse: Callable[..., Any], ended: RunEnded, run_id: UUID) -> None:
    nasty = replace(ended.started, username="<script>alert(1)</script>", agent='"><img src=x>')
    ledger_record(run_id, [replace(ended, started=nasty)])

    for path, query in ((LEDGER, {"user": "<script>alert(1)</script>"}), (f"{LEDGER}{run_id}/", {})):
        page = browse("operator", path, **query).content.decode()
        assert "<script>alert" not in page
        assert "<img src=x" not in page


def test_the_pages_keep_the_policy(browse: Callable[..., Any], told: str) -> None:
    for path in (LEDGER, told):
        response = browse("operator", path)
        page = response.content.decode()
        assert "style-src 'self'" in response.headers["Content-Security-Policy"]
        assert not re.search(r"\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)|<style", page)
        assert "Times in UTC." in page


def test_a_site_in_another_zone_says_so(browse: Callable[..., Any], told: str, settings: Any) -> None:
    settings.TIME_ZONE = "Asia/Shanghai"

    page = browse("operator").content.decode()

    assert "Times in Asia/Shanghai." in page
    assert "2026-07-01 20:00:00" in page


@pytest.mark.parametrize("method", ["post", "put", "delete"])
def test_a_record_is_only_read(people: dict[str, User], told: str, method: str) -> None:
    client = Client()
    client.force_login(people["admin"])

    assert getattr(client, method)(told).status_code == 405


def test_a_run_links_to_its_page_for_an_owner_who_may_see_it(people: dict[str, User], told: str) -> None:
    assert turn_link(Run.objects.get()) is None

    Run.objects.update(user=people["operator"])

    assert turn_link(Run.objects.get()) == {"label": "Record", "url": told}


@pytest.mark.parametrize("kind", ["turn", "modelcall", "auditevent"])
def test_admin_only_reads_and_shows_no_payload(people: dict[str, User], told: str, kind: str) -> None:
    client = Client()
    client.force_login(people["admin"])
    page = client.get(reverse(f"admin:governance_{kind}_changelist"))

    assert page.status_code == 200
    assert client.get(reverse(f"admin:governance_{kind}_add")).status_code == 403
    change = re.search(rf'href="(/admin/governance/{kind}/[^"]+/change/[^"]*)"', page.content.decode())
    assert change
    assert "canary" not in client.get(change[1]).content.decode()


def test_the_cost_of_no_turn_is_not_unknown(browse: Callable[..., Any], many: list[UUID]) -> None:
    assert 'gv-value">unknown' not in browse("operator", user="nobody").content.decode()
    Turn.objects.update(cost=None)
    assert 'gv-value">unknown' in browse("operator").content.decode()
