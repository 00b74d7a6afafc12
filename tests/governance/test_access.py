"""Who may open which page and endpoint of the records."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User

from governance.services.seeding import ledger_seed

pytestmark = [pytest.mark.django_db, pytest.mark.database]
PERMISSION = {
    "/governance/turns/": "view_turn",
    "/governance/audit/": "view_auditevent",
    "/governance/cost/": "view_cost",
    "/api/governance/turns": "view_turn",
    "/api/governance/audit": "view_auditevent",
    "/api/governance/cost": "view_cost",
}
EXPORT = "/governance/turns/export.csv"


def grant(user: User, *codenames: str) -> None:
    user.user_permissions.set(Permission.objects.filter(codename__in=codenames, content_type__app_label="governance"))


@pytest.mark.parametrize("path", [*PERMISSION, EXPORT])
def test_nobody_is_asked_to_log_in(browse: Callable[..., Any], path: str) -> None:
    response = browse("", path)

    if path.startswith("/api/"):
        assert (response.status_code, response.json()["error"]["code"]) == (401, "NOT_AUTHENTICATED")
    else:
        assert response.headers["Location"].startswith(f"/accounts/login/?next={path}")


@pytest.mark.parametrize("path", [*PERMISSION, EXPORT])
@pytest.mark.parametrize("name", ["other", "staff"])
def test_a_person_without_the_permission_is_refused(browse: Callable[..., Any], path: str, name: str) -> None:
    response = browse(name, path)

    assert response.status_code == 403
    if path.startswith("/api/"):
        assert response.json()["error"]["code"] == "FORBIDDEN"


@pytest.mark.parametrize("path", PERMISSION)
@pytest.mark.parametrize("name", ["operator", "admin"])
def test_holders_are_let_in(browse: Callable[..., Any], path: str, name: str) -> None:
    assert browse(name, path).status_code == 200


@pytest.mark.parametrize("path", PERMISSION)
def test_each_page_needs_its_own_permission(people: dict[str, User], browse: Callable[..., Any], path: str) -> None:
    others = {"view_turn", "view_auditevent", "view_cost", "export"} - {PERMISSION[path]}
    grant(people["operator"], *others)
    assert browse("operator", path).status_code == 403

    grant(people["operator"], PERMISSION[path])
    assert browse("operator", path).status_code == 200


@pytest.mark.parametrize(
    ("granted", "status"), [(["view_turn"], 403), (["export"], 403), (["view_turn", "export"], 200)]
)
def test_an_export_needs_both_permissions(
    people: dict[str, User], browse: Callable[..., Any], granted: list[str], status: int
) -> None:
    grant(people["staff"], *granted)

    assert browse("staff", EXPORT).status_code == status


def test_links_are_only_to_what_opens(people: dict[str, User], browse: Callable[..., Any]) -> None:
    grant(people["staff"], "view_turn")

    page = browse("staff", "/governance/turns/").content.decode()

    assert "/governance/audit/" not in page
    assert "/governance/cost/" not in page
    assert EXPORT not in page
    assert EXPORT in browse("admin", "/governance/turns/").content.decode()


@pytest.mark.parametrize(
    ("path", "codename"), [("/governance/audit/", "view_auditevent"), ("/governance/cost/", "view_cost")]
)
def test_no_link_leads_to_the_ledger_without_its_permission(
    people: dict[str, User], browse: Callable[..., Any], path: str, codename: str
) -> None:
    ledger_seed(20, days=3)
    grant(people["staff"], codename)
    assert 'href="/governance/turns/' in browse("admin", path).content.decode()

    page = browse("staff", path).content.decode()

    assert 'href="/governance/turns/' not in page
    assert "record is gone" not in page


@pytest.mark.parametrize("path", [*PERMISSION, EXPORT])
@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_records_are_only_read(client: Any, people: dict[str, User], path: str, method: str) -> None:
    client.force_login(people["admin"])

    assert getattr(client, method)(path).status_code == 405
