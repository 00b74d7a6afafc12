"""The system checks of the ground: a wrong setting is named, with its cure."""

from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.core.checks import run_checks

from agentcore.checks import settings_check
from agentcore.conf import DEFAULT_FUNCTION_MIDDLEWARE, DEFAULT_OBSERVERS

# Some of Django's own checks look into the database, from Django 6 on.
pytestmark = pytest.mark.django_db

# Of the ground's own checks; those of tools begin with a 1.
GROUND = ("steward.E0", "steward.W0")


def messages(settings: Any, **changes: Any) -> dict[str, str]:
    for name, value in changes.items():
        setattr(settings, name, value)
    return {message.id: message.msg for message in run_checks() if message.id and message.id.startswith(GROUND)}


def test_empty_steward_is_right(settings: Any) -> None:
    assert messages(settings, STEWARD={}, DEBUG=True) == {}


@pytest.mark.parametrize(
    ("steward", "named"),
    [
        ({"MAX_TOOL_LOOP": 5}, ["MAX_TOOL_LOOP", "MAX_TOOL_LOOPS"]),
        ({"MAX_STEPS": 0}, ["MAX_STEPS"]),
        ({"AUDIT_MODE": "sometimes"}, ["AUDIT_MODE", "best_effort"]),
        ({"PERMISSIONS": {"notes.write": "perhaps"}}, ["PERMISSIONS", "confirm"]),
    ],
)
def test_wrong_key_is_named_with_what_is_allowed(settings: Any, steward: dict[str, Any], named: list[str]) -> None:
    message = messages(settings, STEWARD=steward)["steward.E001"]

    assert all(word in message for word in named)


def test_explicit_path_that_names_nothing_is_an_error(settings: Any) -> None:
    found = messages(settings, STEWARD={"OBSERVERS": [*DEFAULT_OBSERVERS, "nowhere.Observer"]}, DEBUG=True)

    assert "nowhere.Observer" in found["steward.E002"]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("OBSERVERS", ["conversations.notices.ConversationNotices"]),
        ("RUN_LINKS", ["governance.links.turn_link"]),
        ("CONVERSATION_STORE", "conversations.store.DatabaseConversationStore"),
    ],
)
def test_an_explicit_default_path_of_an_app_that_is_not_installed_is_an_error(
    settings: Any, key: str, value: list[str] | str
) -> None:
    apps = [app for app in settings.INSTALLED_APPS if app not in {"governance", "conversations"}]
    changes = {"INSTALLED_APPS": apps, "STEWARD": {key: value}, "ROOT_URLCONF": "agentcore.api.urls"}

    message = messages(settings, DEBUG=True, **changes)["steward.E002"]
    assert key in message
    assert "not in INSTALLED_APPS" in message


def test_a_path_whose_import_fails_in_any_way_is_an_error(
    settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_at_import.py").write_text("raise RuntimeError('out of order')")
    monkeypatch.syspath_prepend(tmp_path)
    settings.STEWARD = {"RUN_MIDDLEWARE": ["broken_at_import.layer"]}

    assert "out of order" in messages(settings, DEBUG=True)["steward.E002"]


def test_default_path_of_an_app_that_is_not_installed_is_skipped(settings: Any) -> None:
    apps = [app for app in settings.INSTALLED_APPS if app not in {"governance", "conversations"}]

    assert messages(settings, INSTALLED_APPS=apps, STEWARD={}, DEBUG=True, ROOT_URLCONF="agentcore.api.urls") == {}


def test_missing_credential_keys_are_an_error_in_production(settings: Any) -> None:
    assert "steward.E003" in messages(settings, STEWARD={}, DEBUG=False)


NEW, OLD = (Fernet.generate_key().decode() for _number in range(2))


@pytest.mark.parametrize(
    ("keys", "found"),
    [
        ([NEW, OLD], False),
        (["short"], True),
        ([NEW, ""], True),
        # One text of several, that nobody took apart.
        ([f"{NEW},{OLD}"], True),
        ([f"{NEW} {OLD}"], True),
    ],
)
def test_a_credential_key_that_is_none_is_an_error(settings: Any, keys: list[str], found: bool) -> None:
    assert ("steward.E003" in messages(settings, STEWARD={"CREDENTIAL_KEYS": keys}, DEBUG=True)) is found


def test_an_engine_that_is_not_built_yet_is_an_error_that_names_the_one_that_is(settings: Any) -> None:
    settings.STEWARD, settings.DEBUG = {"RUN_ENGINE": "procrastinate"}, True
    found = [message for message in run_checks() if message.id == "steward.E007"]

    assert "not built yet" in found[0].msg
    assert "'inline'" in str(found[0].hint)
    assert "STEWARD_RUN_ENGINE" in str(found[0].hint)


def test_inline_engine_without_asgi_is_an_error(settings: Any) -> None:
    assert "steward.E004" in messages(settings, STEWARD={}, DEBUG=True, ASGI_APPLICATION=None)


def test_runserver_that_serves_no_sockets_is_a_warning(settings: Any) -> None:
    apps = [app for app in settings.INSTALLED_APPS if app != "daphne"]

    assert messages(settings, INSTALLED_APPS=apps, DEBUG=True).keys() == {"steward.W002"}


@pytest.mark.parametrize("left_out", DEFAULT_OBSERVERS)
def test_an_installed_observer_that_an_explicit_list_leaves_out_is_a_warning(settings: Any, left_out: str) -> None:
    rest = [path for path in DEFAULT_OBSERVERS if path != left_out]
    found = messages(settings, STEWARD={"OBSERVERS": rest}, DEBUG=True)

    assert left_out in found["steward.W001"]


@pytest.mark.parametrize(("layers", "is_missed"), [([], True), (DEFAULT_FUNCTION_MIDDLEWARE, False)])
def test_the_layer_that_refuses_effects_is_missed_in_an_explicit_list(
    settings: Any, layers: list[str], is_missed: bool
) -> None:
    found = messages(settings, STEWARD={"FUNCTION_MIDDLEWARE": layers}, DEBUG=True)

    assert ("refuse_unapproved_effects" in found.get("steward.W006", "")) is is_missed


def test_an_observer_whose_app_is_not_installed_is_not_missed(settings: Any) -> None:
    apps = [app for app in settings.INSTALLED_APPS if app not in {"governance", "conversations"}]
    changes = {"INSTALLED_APPS": apps, "STEWARD": {"OBSERVERS": []}, "ROOT_URLCONF": "agentcore.api.urls"}

    assert messages(settings, DEBUG=True, **changes) == {}


def test_a_site_without_static_files_is_an_error(settings: Any) -> None:
    settings.INSTALLED_APPS = [app for app in settings.INSTALLED_APPS if app != "django.contrib.staticfiles"]

    # Called, since Daphne's own check cannot cope with that.
    assert "steward.E005" in {message.id for message in settings_check()}


@pytest.mark.parametrize(
    ("root", "storage", "ids"),
    [
        ("", "ManifestStaticFilesStorage", {"steward.E006"}),
        ("/srv/static", "StaticFilesStorage", {"steward.W003"}),
        ("/srv/static", "ManifestStaticFilesStorage", set()),
    ],
)
def test_static_files_of_a_deployment_are_collected_under_names_of_their_content(
    settings: Any, root: str, storage: str, ids: set[str]
) -> None:
    storages = {"staticfiles": {"BACKEND": f"django.contrib.staticfiles.storage.{storage}"}}

    assert messages(settings, DEBUG=False, STATIC_ROOT=root, STORAGES=storages).keys() == ids


def test_middleware_that_is_missing_is_a_warning(settings: Any) -> None:
    rest = [path for path in settings.MIDDLEWARE if path != "agentcore.http.api_slashes"]

    assert "trailing slash" in messages(settings, MIDDLEWARE=rest, DEBUG=True)["steward.W004"]


def test_sqlite_that_loses_writes_is_a_warning(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(settings.DATABASES["default"], "ENGINE", "django.db.backends.sqlite3")
    monkeypatch.setitem(settings.DATABASES["default"], "OPTIONS", {})

    assert messages(settings, DEBUG=True).keys() == {"steward.W005"}
