"""Credentials in the admin: a value goes in, and is in no page, log entry, message or exception."""

import logging
from collections.abc import Callable
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.views.debug import get_exception_reporter_filter

from agentcore.admin.refusals import ID_FAULT
from agentcore.models import Credential, Provider
from agentcore.services.credentials import credential_declare, credential_value
from tests.admin.conftest import CANARY

ADD = "/admin/agentcore/credential/add/"
LIST = "/admin/agentcore/credential/"
CHANGE = "/admin/agentcore/credential/hosted/change/"
REPLACE = "/admin/agentcore/credential/hosted/replace/"


def test_a_value_is_stored_and_not_shown(boss: Client, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    answer = boss.post(ADD, {"slug": "hosted", "value": f" {CANARY} "}, follow=True)

    assert credential_value("hosted") == CANARY
    pages = answer.content.decode() + boss.get(CHANGE).content.decode()
    logged = " ".join(f"{entry.object_repr} {entry.change_message}" for entry in LogEntry.objects.all())
    assert CANARY not in pages + logged + caplog.text
    assert "…6789" in pages


def test_an_empty_field_leaves_what_is_there(boss: Client, credential: Credential) -> None:
    before = bytes(credential.token)
    assert boss.post(CHANGE, {"value": ""}).status_code == 302
    assert bytes(Credential.objects.get().token) == before
    assert b'type="password"' in boss.get(CHANGE).content
    assert "Empty: what is there stays" in boss.get(CHANGE).content.decode()


def test_adding_needs_a_value(boss: Client) -> None:
    answer = boss.post(ADD, {"slug": "hosted", "value": ""})
    assert answer.context["adminform"].form.errors["value"] == [
        "Enter the key, or set STEWARD_CREDENTIAL_HOSTED in the environment."
    ]
    assert not Credential.objects.exists()
    assert "Empty: what is there stays" not in answer.content.decode()


@pytest.mark.parametrize("address", [CHANGE, REPLACE])
def test_a_new_value_takes_the_place_of_the_old(address: str, boss: Client, credential: Credential) -> None:
    answer = boss.post(address, {"value": f"{CANARY}-new"}, follow=True)
    assert credential_value("hosted") == f"{CANARY}-new"
    assert CANARY not in answer.content.decode()
    assert CANARY not in LogEntry.objects.get().change_message


@pytest.mark.parametrize("address", [CHANGE, REPLACE])
def test_only_who_may_change_a_key_replaces_it(
    address: str, staff: Callable[..., Client], credential: Credential
) -> None:
    assert staff("view_credential", "add_credential").post(address, {"value": f"{CANARY}-new"}).status_code == 403
    assert credential_value("hosted") == CANARY


@pytest.mark.parametrize("address", [ADD, CHANGE, REPLACE])
@pytest.mark.parametrize("value", [f"{CANARY}…", "********", f"{CANARY}\x07", "sk-" + "k" * 9000])
def test_what_cannot_be_a_key_is_refused_and_not_given_back(
    address: str, value: str, boss: Client, credential: Credential
) -> None:
    answer = boss.post(address, {"slug": "new", "value": value})
    assert answer.status_code == 200
    assert value not in answer.content.decode()
    assert CANARY not in answer.content.decode()
    assert credential_value("hosted") == CANARY


@pytest.mark.parametrize("address", [ADD, CHANGE, REPLACE])
@pytest.mark.parametrize(("value", "warned"), [("1234567", True), ("12345678", False)])
def test_key_too_short_to_be_masked_is_stored_with_a_warning(
    address: str, value: str, warned: bool, boss: Client, credential: Credential
) -> None:
    answer = boss.post(address, {"slug": "new", "value": value}, follow=True)

    assert credential_value("new" if address == ADD else "hosted") == value
    assert ("is not masked" in answer.content.decode()) is warned


def test_replacing_needs_a_value(boss: Client, credential: Credential) -> None:
    assert boss.post(REPLACE, {"value": "  "}).status_code == 200
    assert credential_value("hosted") == CANARY


def test_without_an_encryption_key_the_form_says_so(boss: Client, settings: Any) -> None:
    settings.STEWARD = {"CREDENTIAL_KEYS": []}
    answer = boss.post(ADD, {"slug": "hosted", "value": CANARY})
    assert answer.status_code == 200
    assert "STEWARD_CREDENTIAL_KEYS" in answer.content.decode()
    assert CANARY not in answer.content.decode()


def test_the_list_tells_where_each_value_comes_from(
    boss: Client, credential: Credential, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STEWARD_CREDENTIAL_FROM_OUTSIDE", f"{CANARY}-outside-wxyz")
    assert boss.post(ADD, {"slug": "from-outside", "value": ""}).status_code == 302
    credential_declare("nowhere")

    page = boss.get(LIST).content.decode()

    assert ">stored<" in page
    assert ">from the environment<" in page
    assert ">no key<" in page
    assert "STEWARD_CREDENTIAL_NOWHERE" in page
    assert "…6789" in page
    assert "…wxyz" in page
    assert CANARY not in page


def test_one_that_cannot_be_decrypted_breaks_no_page(boss: Client, provider: Provider, settings: Any) -> None:
    settings.STEWARD = {**settings.STEWARD, "CREDENTIAL_KEYS": [Fernet.generate_key().decode()]}
    for address in (
        LIST,
        CHANGE,
        REPLACE,
        "/admin/agentcore/provider/",
        "/admin/agentcore/provider/hosted/change/",
        "/admin/",
    ):
        answer = boss.get(address)
        assert answer.status_code == 200, address
        assert CANARY not in answer.content.decode()
    assert "cannot be decrypted" in boss.get(LIST).content.decode()
    assert "cannot be decrypted" in boss.get("/admin/agentcore/provider/").content.decode()

    boss.post(REPLACE, {"value": f"{CANARY}-again"})

    assert credential_value("hosted") == f"{CANARY}-again"


def test_a_credential_in_use_is_not_deleted(boss: Client, provider: Provider) -> None:
    boss.post("/admin/agentcore/credential/hosted/delete/", {"post": "yes"})
    assert Credential.objects.filter(slug="hosted").exists()


def test_two_of_one_id_are_refused(boss: Client, credential: Credential) -> None:
    assert boss.post(ADD, {"slug": "hosted", "value": "sk-another-value"}).status_code == 200
    assert credential_value("hosted") == CANARY


def test_a_fault_of_ours_shows_no_value(
    boss: Client, credential: Credential, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The technical page of a site that runs with DEBUG off goes out by mail: the filter leaves the field out."""
    settings.DEBUG = False
    boss.raise_request_exception = False
    reports: list[str] = []

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            request = getattr(record, "request", None)
            if request is not None:
                reports.append(str(get_exception_reporter_filter(request).get_post_parameters(request)))

    def broken(slug: str, value: str) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr("agentcore.admin.credentials.credential_store", broken)
    handler = Kept()
    logging.getLogger("django.request").addHandler(handler)
    try:
        answers = [boss.post(address, {"value": CANARY}) for address in (CHANGE, REPLACE)]
    finally:
        logging.getLogger("django.request").removeHandler(handler)
    assert [answer.status_code for answer in answers] == [500, 500]
    assert len(reports) == 2
    assert CANARY not in "".join(reports)


@pytest.mark.parametrize("address", [ADD, CHANGE, REPLACE])
def test_no_technical_page_shows_a_value(
    address: str, boss: Client, credential: Credential, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_given: Any, **_fields: Any) -> None:
        raise RuntimeError("broken")

    settings.DEBUG = True
    boss.raise_request_exception = False
    monkeypatch.setattr(Credential.objects, "update_or_create", broken)

    answer = boss.post(address, {"slug": "other", "value": f"{CANARY}-new"})

    assert (answer.status_code, b"RuntimeError" in answer.content) == (500, True)
    assert CANARY not in answer.content.decode()


@pytest.mark.parametrize("kind", ["credential", "provider", "agentprofile"])
def test_an_id_that_is_none_is_refused_without_a_word_that_no_page_has(boss: Client, kind: str) -> None:
    answer = boss.post(f"/admin/agentcore/{kind}/add/", {"slug": "not an id"})
    assert answer.context["adminform"].form.errors["slug"] == [str(ID_FAULT)]
