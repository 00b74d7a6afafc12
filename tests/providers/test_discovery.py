"""Discovery: a provider that was saved has its models listed, later, elsewhere, and one job at a time."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from agentcore import pool
from agentcore.models import Provider
from agentcore.services import discovery
from agentcore.services.credentials import credential_declare
from agentcore.services.providers import provider_save
from tests.admin.upstream import replied, served
from tests.fake_upstream import Answer, Received

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]

Errands = list[Callable[[], object]]
MODELS = {"data": [{"id": "fx-2"}, {"id": "fx-1"}]}


@pytest.fixture(autouse=True)
def _loopback_is_allowed(settings: Any) -> None:
    settings.STEWARD = {**settings.STEWARD, "ALLOW_PRIVATE_PROVIDER_URLS": True}


def provider(base_url: str = "", **fields: Any) -> Provider:
    """Not stored yet."""
    return Provider(slug="p", provider_type="openai_chat", name="P", base_url=base_url, **fields)


def save_again() -> None:
    provider_save(Provider.objects.get())


def listed() -> list[str]:
    return [entry["id"] for entry in Provider.objects.get().models_found]


def test_saving_lists_the_models_in_the_background(errands: Errands) -> None:
    with served(lambda got: replied(MODELS)) as upstream:
        provider_save(provider(upstream.base_url))
        assert (upstream.requests, listed()) == ([], [])
        errands.pop()()

    row = Provider.objects.get()
    assert listed() == ["fx-1", "fx-2"]
    assert row.models_found_at is not None
    assert (row.status["discovery"]["ok"], row.status["discovery"]["models"]) == (True, 2)


def test_the_admin_and_the_api_start_it(errands: Errands, django_user_model: Any) -> None:
    client = Client()
    client.force_login(django_user_model.objects.create_superuser("root"))
    fields = {"name": "A", "slug": "a", "provider_type": "mock", "options": "{}", "enabled": "on"}
    assert client.post("/admin/agentcore/provider/add/", fields).status_code == 302
    body = {"provider_id": "b", "provider_type": "mock"}
    assert client.post("/api/providers", body, "application/json").status_code == 201
    assert client.patch("/api/providers/b", {"name": "B"}, "application/json").status_code == 200
    assert len(errands) == 2

    while errands:
        errands.pop()()

    found = Provider.objects.values_list("slug", "status__discovery__ok")
    assert dict(found) == {"a": True, "b": True}


def test_a_key_that_is_entered_lists_the_models_of_its_providers(errands: Errands, django_user_model: Any) -> None:
    client = Client()
    client.force_login(django_user_model.objects.create_superuser("root"))
    fields = {"slug": "p", "provider_type": "openai_chat", "name": "P"}
    with served(lambda got: replied(MODELS)) as upstream:
        Provider.objects.create(**fields, base_url=upstream.base_url, credential=credential_declare("k"))
        client.put("/api/credentials/k", {"value": "sk-put-0123456789"}, "application/json")
        errands.pop()()
        for action in ("change", "replace"):
            client.post(f"/admin/agentcore/credential/k/{action}/", {"value": f"sk-{action}-0123456789"})
            errands.pop()()

    assert listed() == ["fx-1", "fx-2"]
    keys = [request.headers["authorization"] for request in upstream.requests]
    assert keys == [f"Bearer sk-{place}-0123456789" for place in ("put", "change", "replace")]


def test_nothing_is_asked_for_what_was_not_committed(errands: Errands) -> None:
    with transaction.atomic():
        provider_save(provider())
        transaction.set_rollback(True)
    assert errands == []


def test_two_saves_in_a_row_make_one_job_at_a_time(errands: Errands) -> None:
    with served(lambda got: replied(MODELS)) as upstream:
        provider_save(provider(upstream.base_url))
        save_again()
        assert len(errands) == 1
        errands.pop()()
        # What was saved meanwhile is looked at once more, and then it is over.
        assert len(errands) == 1
        errands.pop()()
        assert errands == []
        save_again()
        assert len(errands) == 1


def test_a_disabled_provider_is_not_asked(errands: Errands) -> None:
    with served(lambda got: replied(MODELS)) as upstream:
        provider_save(provider(upstream.base_url, enabled=False))
        errands.pop()()
    assert upstream.requests == []
    assert Provider.objects.get().status == {}


def test_a_provider_that_is_gone_is_no_fault(errands: Errands) -> None:
    provider_save(provider())
    Provider.objects.all().delete()
    errands.pop()()
    assert errands == []


@pytest.mark.parametrize(
    ("answers", "code"),
    [
        (lambda got: replied({}, 401), "PROVIDER_AUTH_FAILED"),
        (lambda got: Answer(refusal=True), "PROVIDER_UNAVAILABLE"),
        (lambda got: replied(b"<html>"), "PROVIDER_BAD_RESPONSE"),
    ],
)
def test_a_failure_is_a_status_and_is_not_raised(
    answers: Callable[[Received], Answer], code: str, errands: Errands
) -> None:
    with served(answers) as upstream:
        provider_save(provider(upstream.base_url, models_found=[{"id": "old"}], status={"ok": True}))
        errands.pop()()
    row = Provider.objects.get()
    assert (row.status["discovery"]["ok"], row.status["discovery"]["code"]) == (False, code)
    assert row.status["ok"] is True
    assert listed() == ["old"]


def test_the_threads_of_the_background_end_with_their_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """The real pool: closing it waits for what it was given."""
    monkeypatch.setattr(discovery, "in_background", pool.in_background)
    with served(lambda got: replied(MODELS)) as upstream:
        provider_save(provider(upstream.base_url))
        pool.close_pools()
    assert listed() == ["fx-1", "fx-2"]


def test_a_fault_of_ours_in_the_background_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    pool.in_background(partial(int, "no number"))
    pool.close_pools()
    assert "An errand in the background failed." in caplog.text
