"""The way to the pages of governance: shown to whoever may open one of them, and it opens."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.template import engines
from django.test import RequestFactory

from governance.services.seeding import ledger_seed
from tests.governance.test_access import EXPORT, grant

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).resolve().parent.parent.parent
FIRST = [
    (["view_turn", "view_cost"], "/governance/turns/"),
    (["view_auditevent", "view_cost"], "/governance/audit/"),
    (["view_cost"], "/governance/cost/"),
]


@pytest.mark.parametrize(("granted", "first"), FIRST)
def test_the_header_and_the_menu_lead_to_the_first_page_that_opens(
    people: dict[str, User], browse: Callable[..., Any], granted: list[str], first: str
) -> None:
    grant(people["staff"], *granted)

    page = browse("staff", "/").content.decode()

    assert page.count(f'href="{first}"') == 2
    assert browse("staff", first).status_code == 200


@pytest.mark.parametrize(("granted", "first"), FIRST)
def test_the_frame_of_a_site_without_its_own_leads_there_too(
    people: dict[str, User], rf: RequestFactory, granted: list[str], first: str
) -> None:
    grant(people["staff"], *granted)
    request = rf.get("/")
    request.user = people["staff"]

    # From the file: this site has a frame of its own, which a loader would find.
    frame = (ROOT / "agentcore/templates/steward/base.html").read_text(encoding="utf-8")

    assert f'href="{first}"' in engines["django"].from_string(frame).render({}, request)


@pytest.mark.parametrize("name", ["", "other"])
def test_who_may_open_no_page_has_no_way_to_one(people: Any, browse: Callable[..., Any], name: str) -> None:
    assert "/governance/" not in browse(name, "/").content.decode()


@pytest.mark.parametrize(("granted", "said"), [(["view_cost"], False), (["view_cost", "view_turn"], True)])
def test_bars_are_said_to_open_where_they_do(
    people: dict[str, User], browse: Callable[..., Any], granted: list[str], said: bool
) -> None:
    ledger_seed(20, days=3)
    grant(people["staff"], *granted)

    assert ("A bar opens" in browse("staff", "/governance/cost/").content.decode()) is said


def test_an_operator_who_may_not_export_is_told_what_is_missing(
    people: dict[str, User], browse: Callable[..., Any]
) -> None:
    page = browse("operator", EXPORT).content.decode()

    assert "Can export records" in page
    assert "governance.export" in page
    assert "This page is for operators" not in page
