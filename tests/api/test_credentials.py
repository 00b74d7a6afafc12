"""Credentials for programs: a value goes in, and is in no answer, log line, message or report."""

import logging
from collections.abc import Callable
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.test import Client, RequestFactory
from django.views.debug import ExceptionReporter

from agentcore.models import Credential, Provider
from agentcore.services.credentials import credential_declare, credential_store, credential_value

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]

CANARY = "sk-CANARY-77-abcdef0123456789"
ONE = "/api/credentials/hosted"


@pytest.fixture
def people(transactional_db: None) -> Callable[..., Client]:
    """The browser of somebody with these permissions of the ground; without any, of a superuser."""

    def logged_in(*codenames: str) -> Client:
        user = get_user_model().objects.create_user("somebody", is_superuser=not codenames)
        user.user_permissions.add(*Permission.objects.filter(codename__in=codenames))
        client = Client(raise_request_exception=False)
        client.force_login(user)
        return client

    return logged_in


@pytest.fixture
def boss(people: Callable[..., Client]) -> Client:
    return people()


def put(client: Client, value: Any = CANARY, path: str = ONE, **more: Any) -> Any:
    return client.put(path, {"value": value, **more}, "application/json")


def refused(answer: Any) -> tuple[int, str, Any]:
    error = answer.json()["error"]
    return answer.status_code, error["code"], error["details"]


def test_a_value_is_stored_and_never_told(boss: Client, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    answer = put(boss, f"  {CANARY}\n")

    assert answer.status_code == 200
    told = dict(answer.json())
    assert told.pop("updated_at")
    assert told.pop("fingerprint")
    assert told == {
        "credential_id": "hosted",
        "configured": True,
        "source": "stored",
        "state": "stored",
        "last_four": "6789",
    }
    assert credential_value("hosted") == CANARY
    assert boss.get(ONE).json() == answer.json()
    assert CANARY not in answer.content.decode() + boss.get(ONE).content.decode() + caplog.text


def test_a_new_value_takes_the_place_of_the_old(boss: Client) -> None:
    first = put(boss).json()
    second = put(boss, f"{CANARY}-new").json()
    assert credential_value("hosted") == f"{CANARY}-new"
    assert first["fingerprint"] != second["fingerprint"]
    assert Credential.objects.count() == 1


@pytest.mark.parametrize(
    "value",
    [
        *("", "   ", "********", "sk-...6789", "sk-…6789", "••••6789", "xxxx6789", "[redacted]", None, {}, []),
        *(f"{CANARY}…", f"{CANARY}\x07", f"{CANARY}\0", f"{CANARY}\ud800", "sk-" + "k" * 9000),
    ],
)
def test_what_cannot_be_a_key_is_refused_and_not_given_back(value: Any, boss: Client) -> None:
    put(boss)
    answer = put(boss, value)

    status, code, details = refused(answer)
    assert (status, code, list(details)) == (400, "VALIDATION_ERROR", ["value"])
    assert CANARY not in answer.content.decode()
    assert credential_value("hosted") == CANARY


@pytest.mark.parametrize("body", [{}, {"key": CANARY}, {"value": CANARY, "source": "stored"}])
def test_only_a_value_is_taken(body: dict[str, str], boss: Client) -> None:
    answer = boss.put(ONE, body, "application/json")
    assert answer.status_code == 400
    assert CANARY not in answer.content.decode()
    assert not Credential.objects.exists()


def test_an_id_that_is_too_long_is_refused(boss: Client) -> None:
    assert refused(put(boss, path=f"/api/credentials/{'x' * 65}"))[:2] == (400, "VALIDATION_ERROR")
    assert put(boss, path=f"/api/credentials/{'x' * 64}").status_code == 200


def test_without_an_encryption_key_nothing_is_stored(boss: Client, settings: Any) -> None:
    settings.STEWARD = {"CREDENTIAL_KEYS": []}
    answer = put(boss)
    assert answer.status_code == 400
    assert "STEWARD_CREDENTIAL_KEYS" in answer.json()["error"]["message"]


def test_the_environment_is_a_source(boss: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEWARD_CREDENTIAL_HOSTED", f"{CANARY}-wxyz")
    told = boss.get(ONE).json()
    assert (told["configured"], told["source"], told["last_four"]) == (True, "environment", "wxyz")
    assert refused(boss.delete(ONE))[:2] == (409, "CONFLICT")

    put(boss)
    assert boss.get(ONE).json()["source"] == "stored"
    assert boss.delete(ONE).status_code == 204
    assert boss.get(ONE).json()["source"] == "environment"


def test_one_without_a_value_is_not_configured(boss: Client) -> None:
    credential_declare("hosted")
    told = boss.get(ONE).json()
    assert (told["configured"], told["source"], told["state"]) == (False, None, "missing")
    assert (told["last_four"], told["fingerprint"]) == (None, None)


def test_one_that_cannot_be_decrypted_says_so_and_can_be_replaced(boss: Client, settings: Any) -> None:
    put(boss)
    settings.STEWARD = {"CREDENTIAL_KEYS": [Fernet.generate_key().decode()]}
    told = boss.get(ONE).json()
    assert (told["configured"], told["source"], told["state"]) == (False, "stored", "unreadable")
    assert put(boss).json()["configured"] is True


def test_one_that_nobody_stored_is_not_configured(boss: Client) -> None:
    told = boss.get(ONE).json()
    assert (told["configured"], told["source"], told["updated_at"]) == (False, None, None)
    assert refused(boss.delete(ONE))[:2] == (404, "NOT_FOUND")
    assert not Credential.objects.exists()


@pytest.mark.parametrize("path", ["/api/credentials/a.b", f"/api/credentials/{'x' * 65}"])
def test_what_no_credential_can_be_called_is_404(path: str, boss: Client) -> None:
    assert refused(boss.get(path))[:2] == (404, "NOT_FOUND")


def test_the_value_of_one_in_use_goes_at_once(boss: Client) -> None:
    Provider.objects.create(slug="p", provider_type="mock", name="P", credential=credential_store("hosted", CANARY))
    assert boss.delete(ONE).status_code == 204
    told = boss.get(ONE).json()
    assert (told["configured"], told["state"], told["last_four"]) == (False, "missing", None)
    assert bytes(Credential.objects.get().token) == b""
    assert Provider.objects.get().credential_id == "hosted"

    Provider.objects.all().delete()
    assert boss.delete(ONE).status_code == 204
    assert not Credential.objects.exists()


@pytest.mark.parametrize(
    ("method", "exists", "permission"),
    [
        ("get", True, "view_credential"),
        ("put", False, "add_credential"),
        ("put", True, "change_credential"),
        ("delete", True, "delete_credential"),
    ],
)
def test_each_method_has_its_permission(
    method: str, exists: bool, permission: str, people: Callable[..., Client]
) -> None:
    if exists:
        credential_store("hosted", "sk-another-value")
    names = ["view_credential", "add_credential", "change_credential", "delete_credential"]
    client = people(*(name for name in names if name != permission))
    arguments = {"data": {"value": CANARY}, "content_type": "application/json"} if method == "put" else {}
    assert refused(getattr(client, method)(ONE, **arguments))[:2] == (403, "FORBIDDEN")

    get_user_model().objects.get().user_permissions.set(Permission.objects.filter(codename=permission))
    assert getattr(client, method)(ONE, **arguments).status_code in {200, 204}


def test_a_fault_of_ours_shows_no_value(boss: Client, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not in the answer, not in the log, and not in the report that goes out by mail, with its variables."""
    settings.DEBUG = False
    reports: list[str] = []

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.exc_info:
                report = ExceptionReporter(RequestFactory().put(ONE), *record.exc_info, is_email=True)
                reports.append(report.get_traceback_text() + report.get_traceback_html() + self.format(record))

    def broken(*args: Any) -> bytes:
        raise RuntimeError("broken")

    monkeypatch.setattr("agentcore.services.credentials.fingerprint", broken)
    handler = Kept()
    logging.getLogger().addHandler(handler)
    try:
        answer = put(boss)
    finally:
        logging.getLogger().removeHandler(handler)
    assert refused(answer)[:2] == (500, "INTERNAL_ERROR")
    assert len(reports) == 1
    assert "broken" in reports[0]
    assert CANARY not in reports[0] + answer.content.decode()
