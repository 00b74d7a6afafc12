"""Every page of the ground's admin: it opens, holds no secret and no text of a run, and is shut to who may not."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from tests.admin.conftest import CANARY, TEXT_CANARY

MODELS = ["provider", "credential", "agentprofile", "modelprice", "apitoken", "run"]
SECRETS = (CANARY, TEXT_CANARY)


def addresses(rows: dict[str, Any]) -> list[str]:
    found = [reverse("admin:index"), reverse("admin:app_list", args=["agentcore"])]
    for name, pk in rows.items():
        found.append(reverse(f"admin:agentcore_{name}_changelist"))
        found += [reverse(f"admin:agentcore_{name}_{page}", args=[pk]) for page in ("change", "history", "delete")]
        found.append(reverse(f"admin:agentcore_{name}_add"))
    return [*found, reverse("admin:agentcore_credential_replace", args=["hosted"])]


def test_no_page_holds_a_secret_or_the_text_of_a_run(boss: Client, everything: dict[str, Any]) -> None:
    shut = {f"/admin/agentcore/{name}/add/" for name in ("run",)} | {
        f"/admin/agentcore/run/{everything['run']}/delete/"
    }
    for address in addresses(everything):
        answer = boss.get(address)
        assert answer.status_code == (403 if address in shut else 200), address
        found = [secret for secret in SECRETS if secret in answer.content.decode()]
        assert found == [], address


@pytest.mark.parametrize("name", MODELS)
def test_staff_without_permission_see_and_do_nothing(
    name: str, staff: Callable[..., Client], everything: dict[str, Any]
) -> None:
    browser = staff()
    urls = [reverse(f"admin:agentcore_{name}_changelist"), reverse(f"admin:agentcore_{name}_add")]
    urls += [reverse(f"admin:agentcore_{name}_{page}", args=[everything[name]]) for page in ("change", "delete")]
    assert [browser.get(url).status_code for url in urls] == [403] * 4
    assert [browser.post(url, {"post": "yes"}).status_code for url in urls] == [403] * 4


def test_staff_without_permission_use_no_page_of_our_own(staff: Callable[..., Client], everything: Any) -> None:
    browser = staff("view_provider", "view_credential")
    assert browser.post("/admin/agentcore/provider/hosted/ask/").status_code == 403
    assert browser.get("/admin/agentcore/credential/hosted/replace/").status_code == 403
    assert browser.post("/admin/agentcore/credential/hosted/replace/", {"value": "sk-other-value-1"}).status_code == 403


def test_staff_with_view_permission_read_and_get_no_action(staff: Callable[..., Client], everything: Any) -> None:
    browser = staff(*(f"view_{name}" for name in MODELS))
    for name, pk in everything.items():
        listed = browser.get(reverse(f"admin:agentcore_{name}_changelist"))
        page = browser.get(reverse(f"admin:agentcore_{name}_change", args=[pk]))
        assert (listed.status_code, page.status_code) == (200, 200), name
        assert b'name="action"' not in listed.content, name
        assert b'name="_save"' not in page.content, name
        assert [s for s in SECRETS if s in page.content.decode() + listed.content.decode()] == []


def test_an_anonymous_visitor_is_sent_to_the_login(db: None) -> None:
    answer = Client().get("/admin/agentcore/provider/")
    assert answer.status_code == 302
    assert "/login/" in answer["Location"]


@pytest.mark.parametrize("name", MODELS)
def test_a_list_takes_few_queries(name: str, boss: Client, everything: Any, django_assert_max_num_queries: Any) -> None:
    with django_assert_max_num_queries(9):
        assert boss.get(reverse(f"admin:agentcore_{name}_changelist")).status_code == 200


def test_nonsense_in_addresses_and_filters_is_no_fault(boss: Client, everything: Any) -> None:
    for address in (
        "/admin/agentcore/run/not-a-uuid/change/",
        "/admin/agentcore/run/?q=%00",
        "/admin/agentcore/run/?run_id=x",
        "/admin/agentcore/provider/add/?preset=nobody",
        "/admin/agentcore/provider/nobody/change/",
        "/admin/agentcore/credential/nobody/replace/",
    ):
        assert boss.get(address).status_code in {200, 302, 404}, address
