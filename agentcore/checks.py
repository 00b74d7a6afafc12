"""System checks of the ground: each names the setting and the cure."""

from collections.abc import Sequence
from typing import Any

from cryptography.fernet import Fernet
from django.conf import settings
from django.core.checks import CheckMessage, Error

from agentcore.conf import faults, loaded, steward

PATH_KEYS = (
    "RUN_MIDDLEWARE",
    "FUNCTION_MIDDLEWARE",
    "CHAT_MIDDLEWARE",
    "OBSERVERS",
    "TOOLSETS",
    "CONTEXT_PROVIDERS",
    "RUN_LINKS",
    "HISTORY_PROVIDER",
    "CONVERSATION_STORE",
    "TENANT_RESOLVER",
)


def settings_check(**_: Any) -> Sequence[CheckMessage]:
    """E001: an unknown or wrong key. E002: a path that names nothing. E003: keys. E004: no ASGI server."""
    wrong = [Error(fault, id="steward.E001") for fault in faults()]
    if wrong:
        return wrong
    return [*_path_faults(), *_key_faults(), *_server_faults()]


def _path_faults() -> list[CheckMessage]:
    found: list[CheckMessage] = []
    for key in PATH_KEYS:
        value = getattr(steward(), key)
        for path in value if isinstance(value, list) else [value]:
            try:
                loaded([path])
            except ImportError as error:
                hint = "Correct the path, or install the app that has it."
                found.append(
                    Error(f"STEWARD[{key!r}]: {path} cannot be imported: {error}", hint=hint, id="steward.E002")
                )
    return found


def _key_faults() -> list[CheckMessage]:
    hint = (
        "Make one with: python -c 'from cryptography.fernet import Fernet; print(Fernet.generate_key().decode())' "
        "and set STEWARD['CREDENTIAL_KEYS'] (here: the variable STEWARD_CREDENTIAL_KEYS), newest first."
    )
    keys = steward().CREDENTIAL_KEYS
    if not keys and not settings.DEBUG:
        return [Error("STEWARD['CREDENTIAL_KEYS'] is empty: no key can be stored.", hint=hint, id="steward.E003")]
    if not all(_is_fernet_key(key) for key in keys):
        return [
            Error("STEWARD['CREDENTIAL_KEYS'] holds something that is no Fernet key.", hint=hint, id="steward.E003")
        ]
    return []


def _is_fernet_key(key: str) -> bool:
    try:
        Fernet(key)
    except ValueError:
        return False
    return True


def _server_faults() -> list[CheckMessage]:
    if steward().RUN_ENGINE == "inline" and not getattr(settings, "ASGI_APPLICATION", None):
        hint = "Set ASGI_APPLICATION and serve with Daphne, or set STEWARD['RUN_ENGINE'] to 'procrastinate'."
        return [
            Error(
                "The inline engine needs an ASGI server: under WSGI a run dies with its request.",
                hint=hint,
                id="steward.E004",
            )
        ]
    return []
