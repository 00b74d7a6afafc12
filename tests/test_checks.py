"""The system checks of the ground: a wrong setting is named, with its cure."""

from typing import Any

import pytest
from django.core.checks import run_checks


def messages(settings: Any, **changes: Any) -> dict[str, str]:
    for name, value in changes.items():
        setattr(settings, name, value)
    return {message.id: message.msg for message in run_checks() if message.id and message.id.startswith("steward.E0")}


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
    found = messages(settings, STEWARD={"OBSERVERS": ["nowhere.Observer"]}, DEBUG=True)

    assert "nowhere.Observer" in found["steward.E002"]


def test_default_path_of_an_app_that_is_not_installed_is_skipped(settings: Any) -> None:
    apps = [app for app in settings.INSTALLED_APPS if app not in {"governance", "conversations"}]

    assert messages(settings, INSTALLED_APPS=apps, STEWARD={}, DEBUG=True, ROOT_URLCONF="agentcore.api.urls") == {}


def test_missing_credential_keys_are_an_error_in_production(settings: Any) -> None:
    assert "steward.E003" in messages(settings, STEWARD={}, DEBUG=False)


def test_credential_key_that_is_none_is_an_error(settings: Any) -> None:
    assert "steward.E003" in messages(settings, STEWARD={"CREDENTIAL_KEYS": ["short"]}, DEBUG=True)


def test_inline_engine_without_asgi_is_an_error(settings: Any) -> None:
    assert "steward.E004" in messages(settings, STEWARD={}, DEBUG=True, ASGI_APPLICATION=None)
