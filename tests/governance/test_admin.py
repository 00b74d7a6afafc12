"""The records in Django admin: what belongs to a turn's owner is not there, and each leads to the others."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.urls import reverse

from agentcore.ids import uuid7
from agentcore.models import Run
from agentcore.observers import RunEnded, RunStarted
from governance.models import AuditEvent, ModelCall, Turn
from governance.services.audit import audit_record
from tests.governance.conftest import AT

pytestmark = pytest.mark.django_db


def test_no_audit_row_shows_others_its_payload(
    people: dict[str, User], browse: Callable[..., Any], started: RunStarted, failed: Callable[..., RunEnded]
) -> None:
    audit_record(uuid7(), [started, failed()])
    people["staff"].user_permissions.set(Permission.objects.filter(codename="view_auditevent"))
    rows = list(AuditEvent.objects.all())
    assert any(started.input in str(row.payload) for row in rows)

    pages = [browse("staff", reverse("admin:governance_auditevent_change", args=[row.pk])) for row in rows]

    assert [page.status_code for page in pages] == [200] * 3
    texts = [page.content.decode() for page in pages]
    assert [text for text in texts if started.input in text or "field-payload" in text] == []


@pytest.fixture
def rows(started: RunStarted) -> dict[str, Any]:
    """A run with a row of each kind, by the name in addresses."""
    owner = User.objects.create_user("traveller")
    run = Run.objects.create(user=owner, agent="assistant", status="completed")
    return {
        "agentcore_run": run,
        "governance_turn": Turn.objects.create(run_id=run.pk, started_at=AT, status="completed"),
        "governance_modelcall": ModelCall.objects.create(run_id=run.pk, step=1, attempt=1, started_at=AT),
        "governance_auditevent": AuditEvent.objects.create(run_id=run.pk, seq=1, key="1", at=AT, action="stop"),
    }


KINDS = ["agentcore_run", "governance_turn", "governance_modelcall", "governance_auditevent"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_record_links_to_everything_of_its_run(
    browse: Callable[..., Any], people: Any, rows: dict[str, Any], kind: str
) -> None:
    run_id = rows["agentcore_run"].pk

    links = linked(browse("admin", reverse(f"admin:{kind}_change", args=[rows[kind].pk])).content.decode())

    assert links == [
        f"/admin/agentcore/run/{run_id}/change/",
        f"/governance/turns/{run_id}/",
        f"/admin/governance/modelcall/?run_id={run_id}",
        f"/admin/governance/auditevent/?run_id={run_id}",
    ]
    assert {browse("admin", address).status_code for address in links} == {200}


def linked(page: str) -> list[str]:
    """Where the line of records leads."""
    line = page.partition('<span class="st-admin-line">')[2].partition("</span>")[0]
    return re.findall(r'href="([^"]+)"', line)


@pytest.mark.parametrize("kind", KINDS)
def test_a_list_of_records_links_to_run_and_turn_on_one_line(
    browse: Callable[..., Any], people: Any, rows: dict[str, Any], kind: str
) -> None:
    run_id = rows["agentcore_run"].pk

    page = browse("admin", reverse(f"admin:{kind}_changelist")).content.decode()

    assert linked(page) == [f"/admin/agentcore/run/{run_id}/change/", f"/governance/turns/{run_id}/"]
    assert "agentcore/admin.css" in page


@pytest.mark.parametrize(("kind", "first"), list(zip(KINDS[1:], ["status", "outcome", "action"], strict=True)))
def test_how_it_ended_comes_first(
    browse: Callable[..., Any], people: Any, rows: dict[str, Any], kind: str, first: str
) -> None:
    shown = browse("admin", reverse(f"admin:{kind}_change", args=[rows[kind].pk])).content.decode()

    assert shown.index(f"field-{first}") < shown.index("field-records") < shown.index("field-run_id")


@pytest.mark.parametrize("kind", ["governance_turn", "governance_modelcall"])
def test_that_nothing_was_estimated_is_no_red_cross(
    browse: Callable[..., Any], people: Any, rows: dict[str, Any], kind: str
) -> None:
    shown = browse("admin", reverse(f"admin:{kind}_change", args=[rows[kind].pk])).content.decode()

    assert "as the provider reported them" in shown
    assert "icon-no" not in shown
