"""System checks of the ground: each names the setting and the cure."""

from collections.abc import Sequence
from typing import Any

from cryptography.fernet import Fernet
from django.apps import apps
from django.conf import settings
from django.contrib.staticfiles.storage import HashedFilesMixin, staticfiles_storage
from django.core.checks import CheckMessage, Error, Warning

from agentcore.conf import DEFAULT_FUNCTION_MIDDLEWARE, DEFAULT_OBSERVERS, faults, loaded, steward
from agentcore.hosting import SQLITE_OPTIONS

FERNET_KEY_CHARS = 44
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
# With what is lost without it.
NEEDED_MIDDLEWARE = {
    "agentcore.http.head_without_body": "HEAD of a stream spoils the connection for what is asked next.",
    "agentcore.http.request_id": "errors have no id that the log knows.",
    "agentcore.http.no_nul": "a cookie or an address with a NUL fails on PostgreSQL.",
    "agentcore.http.api_slashes": "addresses of the API with a trailing slash are not found.",
}


def settings_check(**_: Any) -> Sequence[CheckMessage]:
    """What the settings alone can tell. ``docs/reference/checks.md`` lists the ids."""
    wrong = [Error(fault, id="steward.E001") for fault in faults()]
    if wrong:
        return wrong
    looks = (
        _path_faults,
        _key_faults,
        _server_faults,
        _observer_faults,
        _layer_faults,
        _static_faults,
        _middleware_faults,
        _database_faults,
    )
    return [message for look in looks for message in look()]


def _path_faults() -> list[CheckMessage]:
    found: list[CheckMessage] = []
    for key in PATH_KEYS:
        value = getattr(steward(), key)
        for path in value if isinstance(value, list) else [value]:
            try:
                loaded([path])
            except Exception as error:
                # Somebody else's module: whatever its import raises is the finding.
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
    # Fernet itself stops reading at the first padding, so that it takes "NEW,OLD" for NEW.
    if len(key) != FERNET_KEY_CHARS:
        return False
    try:
        Fernet(key)
    except ValueError:
        return False
    return True


def _server_faults() -> list[CheckMessage]:
    engine = steward().RUN_ENGINE
    if engine != "inline":
        text = f"STEWARD['RUN_ENGINE'] is {engine!r}, which is not built yet: nothing would execute a run."
        hint = "Set it to 'inline' (here: the variable STEWARD_RUN_ENGINE), or leave it out."
        return [Error(text, hint=hint, id="steward.E007")]
    if not getattr(settings, "ASGI_APPLICATION", None):
        text = "The inline engine needs an ASGI server: under WSGI a run dies with its request."
        hint = "Set ASGI_APPLICATION, as in 'agentcore.asgi.application', and serve with Daphne."
        return [Error(text, hint=hint, id="steward.E004")]
    if settings.DEBUG and not apps.is_installed("daphne"):
        text = "runserver serves no sockets here: the drawer would find no server."
        hint = "Put 'daphne' first in INSTALLED_APPS."
        return [Warning(text, hint=hint, id="steward.W002")]
    return []


def _observer_faults() -> list[CheckMessage]:
    """Defaults that are left out of an explicit list, though their app is installed."""
    installed = [path for path in DEFAULT_OBSERVERS if apps.is_installed(path.partition(".")[0])]
    missing = [path for path in installed if path not in steward().OBSERVERS]
    hint = "Add it, or leave OBSERVERS out of STEWARD; when this is meant, silence steward.W001."
    return [
        Warning(f"STEWARD['OBSERVERS'] leaves out {path}: what it keeps is not kept.", hint=hint, id="steward.W001")
        for path in missing
    ]


def _layer_faults() -> list[CheckMessage]:
    """As of the observers: without its layer nobody is asked before a tool takes effect."""
    installed = [path for path in DEFAULT_FUNCTION_MIDDLEWARE if apps.is_installed(path.partition(".")[0])]
    missing = [path for path in installed if path not in steward().FUNCTION_MIDDLEWARE]
    hint = "Add it, or leave FUNCTION_MIDDLEWARE out of STEWARD; when this is meant, silence steward.W006."
    return [
        Warning(
            f"STEWARD['FUNCTION_MIDDLEWARE'] leaves out {path}: tools take effect that nobody approved.",
            hint=hint,
            id="steward.W006",
        )
        for path in missing
    ]


def _static_faults() -> list[CheckMessage]:
    if not apps.is_installed("django.contrib.staticfiles"):
        hint = "Add 'django.contrib.staticfiles' to INSTALLED_APPS."
        return [Error("Nothing collects the static files of the pages.", hint=hint, id="steward.E005")]
    if settings.DEBUG:
        return []
    if not settings.STATIC_ROOT:
        hint = "Set STATIC_ROOT to a folder that the web server serves, and run collectstatic."
        return [Error("STATIC_ROOT is empty, so no page has its styles and scripts.", hint=hint, id="steward.E006")]
    if not isinstance(staticfiles_storage, HashedFilesMixin):
        text = "Static files keep their names when they change, so browsers may mix an old drawer with a new one."
        hint = "Use ManifestStaticFilesStorage, or that of WhiteNoise, in STORAGES['staticfiles']."
        return [Warning(text, hint=hint, id="steward.W003")]
    return []


def _middleware_faults() -> list[CheckMessage]:
    hint = "MIDDLEWARE = [*agentcore.hosting.MIDDLEWARE, *MIDDLEWARE]"
    missing = [path for path in NEEDED_MIDDLEWARE if path not in settings.MIDDLEWARE]
    return [
        Warning(f"MIDDLEWARE lacks {path}: {NEEDED_MIDDLEWARE[path]}", hint=hint, id="steward.W004") for path in missing
    ]


def _database_faults() -> list[CheckMessage]:
    database = settings.DATABASES.get("default", {})
    if not str(database.get("ENGINE", "")).endswith("sqlite3"):
        return []
    if database.get("OPTIONS", {}).get("transaction_mode") == SQLITE_OPTIONS["transaction_mode"]:
        return []
    text = "SQLite is set up so that two writers at once lose one of their writes."
    hint = "DATABASES['default']['OPTIONS'] = agentcore.hosting.SQLITE_OPTIONS"
    return [Warning(text, hint=hint, id="steward.W005")]
