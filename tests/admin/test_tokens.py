"""API tokens in the admin: shown once, stored as a hash, of no use once revoked, and no way to another's rights."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth import get_user_model
from django.test import Client

from agentcore.errors import Forbidden, ValidationFailed
from agentcore.models import ApiToken
from agentcore.models.tokens import token_hash
from agentcore.services.tokens import token_issue

ADD = "/admin/agentcore/apitoken/add/"
LIST = "/admin/agentcore/apitoken/"


def issued(browser: Client, user: Any) -> tuple[str, Any]:
    """The value that the page shows, and the page."""
    answer = browser.post(ADD, {"user": user.pk, "name": "ci"})
    assert answer.status_code == 200
    found = re.findall(r"stw_[\w-]{40,}", answer.content.decode())
    assert len(found) == 1, answer.content.decode()
    return found[0], answer


def test_a_token_is_shown_once_and_works(boss: Client, superuser: Any) -> None:
    value, page = issued(boss, superuser)

    row = ApiToken.objects.get()
    assert (row.hash, row.last_four) == (token_hash(value), value[-4:])
    assert "no-store" in page["Cache-Control"]
    assert Client().get("/api/agents", headers={"Authorization": f"Token {value}"}).status_code == 200
    later = "".join(
        boss.get(url).content.decode()
        for url in (LIST, f"{LIST}{row.pk}/change/", f"{LIST}{row.pk}/history/", "/admin/")
    )
    assert value not in later
    assert row.hash not in later
    assert f"…{row.last_four}" in later
    assert value not in " ".join(f"{entry} {entry.change_message}" for entry in LogEntry.objects.all())


def test_a_revoked_token_is_refused(boss: Client, superuser: Any) -> None:
    value, _page = issued(boss, superuser)
    chosen = {"action": "revoke", "_selected_action": [ApiToken.objects.get().pk]}
    assert "1 token was revoked." in boss.post(LIST, chosen, follow=True).content.decode()
    assert Client().get("/api/agents", headers={"Authorization": f"Token {value}"}).status_code == 401
    first = ApiToken.objects.get().revoked_at

    assert "0 tokens were revoked." in boss.post(LIST, chosen, follow=True).content.decode()
    assert ApiToken.objects.get().revoked_at == first


def test_staff_make_tokens_for_themselves_only(staff: Callable[..., Client], superuser: Any) -> None:
    browser = staff("add_apitoken", "view_apitoken")
    page = browser.get(ADD).content.decode()
    assert f'value="{superuser.pk}"' not in page
    assert browser.post(ADD, {"user": superuser.pk, "name": "mine now"}).status_code == 200
    assert not ApiToken.objects.exists()

    issued(browser, get_user_model().objects.get(username="staff"))


def test_the_service_refuses_too(superuser: Any, django_user_model: Any) -> None:
    plain, gone = (django_user_model.objects.create_user(name) for name in ("plain", "gone"))
    with pytest.raises(Forbidden):
        token_issue(by=plain, user=superuser, name="x")
    gone.is_active = False
    with pytest.raises(ValidationFailed):
        token_issue(by=superuser, user=gone, name="x")
    assert not ApiToken.objects.exists()


def test_a_token_is_not_edited(boss: Client, token: ApiToken) -> None:
    address = f"{LIST}{token.pk}/change/"
    assert b'name="_save"' not in boss.get(address).content
    assert boss.post(address, {"name": "other", "user": token.user_id}).status_code == 403


def test_revoking_needs_the_permission_to_change(staff: Callable[..., Client], token: ApiToken) -> None:
    browser = staff("view_apitoken")
    browser.post(LIST, {"action": "revoke", "_selected_action": [token.pk]})
    assert ApiToken.objects.get().revoked_at is None
