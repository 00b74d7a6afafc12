"""The audit replay: newest turn first, each in its own order, and other people's text withheld."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.contrib.auth.models import User

from agentcore.observers import RunEnded, RunStarted, ToolCallStarted
from governance.models import AuditEvent, Turn
from governance.services.audit import audit_record
from governance.services.ledger import ledger_record
from governance.services.seeding import ledger_seed

pytestmark = [pytest.mark.django_db, pytest.mark.database]
AUDIT = "/governance/audit/"
API = "/api/governance/audit"


def walk(browse: Callable[..., Any], **query: str) -> list[tuple[str, int]]:
    """The whole stream, a page after the other."""
    found, cursor = [], ""
    while cursor is not None:
        answer = browse("admin", API, **query, cursor=cursor).json()
        found += [(event["run_id"], event["sequence"]) for event in answer["results"]]
        cursor = answer["next"]
    return found


def test_turns_are_newest_first_and_events_in_order(browse: Callable[..., Any]) -> None:
    ledger_seed(12, days=9)

    found = walk(browse, limit="5")

    expected = [
        (str(turn.run_id), seq)
        for turn in Turn.objects.order_by("-run_id")
        for seq in AuditEvent.objects.filter(run_id=turn.run_id).order_by("seq").values_list("seq", flat=True)
    ]
    assert found == expected


def test_older_and_newer_show_the_same_page(browse: Callable[..., Any]) -> None:
    ledger_seed(12, days=9)
    first = browse("admin", API, limit="4").json()
    second = browse("admin", API, limit="4", cursor=first["next"]).json()
    third = browse("admin", API, limit="4", cursor=second["next"]).json()

    back = browse("admin", API, limit="4", cursor=third["previous"]).json()

    assert back["results"] == second["results"]
    assert first["previous"] is None


@pytest.mark.parametrize(
    ("query", "check"),
    [
        ({"action": "tool_call"}, lambda event, turn: event["action"] == "tool_call"),
        ({"tool": "get_weather"}, lambda event, turn: event["tool"] == "get_weather"),
        ({"actor": "agent"}, lambda event, turn: event["actor"] == "agent"),
        ({"user": "amara"}, lambda event, turn: turn.username == "amara"),
        ({"user_id": "seed-1"}, lambda event, turn: turn.user_id == "seed-1"),
        ({"agent": "research"}, lambda event, turn: turn.agent == "research"),
        ({"provider": "openai"}, lambda event, turn: turn.route_provider_id == "openai"),
        ({"model": "gpt-4.1"}, lambda event, turn: turn.route_model == "gpt-4.1"),
        ({"status": "cancelled"}, lambda event, turn: turn.status == "cancelled"),
    ],
)
def test_filters(browse: Callable[..., Any], query: dict[str, str], check: Callable[..., bool]) -> None:
    ledger_seed(60, days=9)

    found = browse("admin", API, **query, limit="200").json()["results"]

    turns = {str(turn.run_id): turn for turn in Turn.objects.all()}
    assert found
    assert all(check(event, turns[event["run_id"]]) for event in found)


def test_days_are_those_on_which_turns_began(browse: Callable[..., Any]) -> None:
    ledger_seed(60, days=9)
    day = Turn.objects.order_by("started_at")[30].started_at.date().isoformat()

    found = {run_id for run_id, _seq in walk(browse, since=day, until=day)}

    assert found == {str(turn.run_id) for turn in Turn.objects.all() if turn.started_at.date().isoformat() == day}


def test_other_peoples_text_is_withheld(
    browse: Callable[..., Any], run_id: UUID, started: RunStarted, ended: RunEnded
) -> None:
    call = ToolCallStarted(
        at=started.at + timedelta(seconds=1),
        call_id="c1",
        name="notes.search",
        step=1,
        arguments={"query": "canary"},
        category="notes",
        effect="read",
    )
    told = [replace(started, input="canary"), call]
    ledger_record(run_id, told)
    audit_record(run_id, told)

    page = browse("operator", AUDIT).content.decode()
    answer = browse("operator", API).content.decode()

    assert "canary" not in page + answer
    assert "notes.search" in page
    assert '"withheld"' in answer
    assert f"/governance/turns/{run_id}/" in page


def test_the_stream_groups_by_turn(browse: Callable[..., Any]) -> None:
    ledger_seed(5, days=9)

    page = browse("admin", AUDIT).content.decode()

    assert len(re.findall(r'<article class="gv-group">', page)) == 5
    assert "Times in UTC." in page


def test_events_without_their_turn_are_shown(browse: Callable[..., Any]) -> None:
    ledger_seed(2, days=9)
    Turn.objects.all().delete()

    page = browse("admin", AUDIT)

    assert page.status_code == 200
    assert "record is gone" in page.content.decode()


def test_text_whose_turn_is_gone_is_withheld_from_everybody(
    browse: Callable[..., Any], people: dict[str, User], run_id: UUID, started: RunStarted
) -> None:
    told = [replace(started, user_id=str(people["operator"].pk), username="operator", input="canary")]
    ledger_record(run_id, told)
    audit_record(run_id, told)
    assert "canary" in browse("operator", AUDIT).content.decode()
    assert "canary" in browse("operator", API).content.decode()

    Turn.objects.all().delete()

    assert "canary" not in browse("operator", AUDIT).content.decode()
    assert "canary" not in browse("operator", API).content.decode()
