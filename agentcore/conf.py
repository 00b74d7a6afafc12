"""The ``STEWARD`` setting: one validated value with a default for everything."""

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, Literal

from django.apps import apps
from django.conf import settings as django_settings
from django.core.signals import setting_changed
from django.utils.module_loading import import_string
from pydantic import BaseModel, ConfigDict, Field, PositiveFloat, PositiveInt, ValidationError

# Dotted paths that stand here by default; one whose app is not installed is skipped where its key is left out.
DEFAULT_OBSERVERS = [
    "governance.observers.LedgerObserver",
    "governance.observers.AuditObserver",
    "conversations.notices.ConversationNotices",
]
DEFAULT_TOOLSETS = ["toolsapp.toolset.RegisteredTools"]
DEFAULT_CONTEXT_PROVIDERS = ["agentcore.agents.clock_context.ClockContext"]
DEFAULT_FUNCTION_MIDDLEWARE = ["toolsapp.middleware.refuse_unapproved_effects"]
DEFAULT_RUN_LINKS = ["governance.links.turn_link"]
DEFAULT_HISTORY_PROVIDER = "conversations.history.DatabaseHistory"
DEFAULT_CONVERSATION_STORE = "conversations.store.DatabaseConversationStore"
_KEY_OF_DEFAULT = {
    **dict.fromkeys(DEFAULT_OBSERVERS, "OBSERVERS"),
    **dict.fromkeys(DEFAULT_TOOLSETS, "TOOLSETS"),
    **dict.fromkeys(DEFAULT_CONTEXT_PROVIDERS, "CONTEXT_PROVIDERS"),
    **dict.fromkeys(DEFAULT_FUNCTION_MIDDLEWARE, "FUNCTION_MIDDLEWARE"),
    **dict.fromkeys(DEFAULT_RUN_LINKS, "RUN_LINKS"),
    DEFAULT_HISTORY_PROVIDER: "HISTORY_PROVIDER",
    DEFAULT_CONVERSATION_STORE: "CONVERSATION_STORE",
}

Policy = Literal["allow", "confirm", "deny"]


class StewardSettings(BaseModel):
    """Every key of ``STEWARD``. ``docs/reference/settings.md`` explains each."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    DEFAULT_AGENT: str = "assistant"
    ENABLE_TOOLS: bool = True
    MAX_TOOL_LOOPS: PositiveInt = 5
    MAX_STEPS: PositiveInt = 10
    MAX_PARALLEL_TOOLS: PositiveInt = 4
    RUN_TIMEOUT: PositiveFloat = 120
    FIRST_TOKEN_TIMEOUT: PositiveFloat = 30
    IDLE_TIMEOUT: PositiveFloat = 60
    TOOL_TIMEOUT: PositiveFloat = 30
    MAX_OUTPUT_TOKENS: PositiveInt = 4096
    RUN_TOKEN_BUDGET: PositiveInt | None = None
    MAX_CONCURRENT_RUNS: PositiveInt = 200
    MAX_CONCURRENT_RUNS_PER_USER: PositiveInt = 4
    MAX_INPUT_CHARS: PositiveInt = 32000
    MAX_TOOL_RESULT_CHARS: PositiveInt = 200000
    EVENT_COALESCE_MS: PositiveInt = 40
    EVENT_BUFFER: PositiveInt = 2000
    LEASE_SECONDS: PositiveFloat = 30
    APPROVAL_TTL: PositiveInt = 86400
    RETENTION_DAYS: PositiveInt = 180
    AUDIT_MODE: Literal["best_effort", "required"] = "best_effort"
    RUN_ENGINE: Literal["inline", "procrastinate"] = "inline"
    RUN_MIDDLEWARE: list[str] = []
    FUNCTION_MIDDLEWARE: list[str] = DEFAULT_FUNCTION_MIDDLEWARE
    CHAT_MIDDLEWARE: list[str] = []
    OBSERVERS: list[str] = DEFAULT_OBSERVERS
    TOOLSETS: list[str] = DEFAULT_TOOLSETS
    CONTEXT_PROVIDERS: list[str] = DEFAULT_CONTEXT_PROVIDERS
    HISTORY_PROVIDER: str | None = DEFAULT_HISTORY_PROVIDER
    CONVERSATION_STORE: str | None = DEFAULT_CONVERSATION_STORE
    RUN_LINKS: list[str] = DEFAULT_RUN_LINKS
    TENANT_RESOLVER: str | None = None
    PERMISSIONS: dict[str, Policy] = {}
    CREDENTIAL_KEYS: list[str] = Field(default=[], repr=False)
    ALLOW_PRIVATE_PROVIDER_URLS: bool | None = None

    @property
    def private_provider_urls_allowed(self) -> bool:
        """Whether a provider may live on a private address; left out, it follows ``DEBUG``."""
        allowed = self.ALLOW_PRIVATE_PROVIDER_URLS
        return bool(django_settings.DEBUG) if allowed is None else allowed


@cache
def steward() -> StewardSettings:
    """The validated settings.

    Raises:
        pydantic.ValidationError: a key is unknown or wrong; the check ``steward.E001`` says it better.
    """
    return StewardSettings.model_validate(getattr(django_settings, "STEWARD", {}))


_caches: list[Callable[[], None]] = [steward.cache_clear]


def cleared_with_settings(clear: Callable[[], None]) -> None:
    """Call ``clear`` whenever ``STEWARD`` changes: for what is built from it once a process."""
    _caches.append(clear)


def _settings_changed(*, setting: str, **_: Any) -> None:
    if setting in {"STEWARD", "DEBUG", "INSTALLED_APPS"}:
        for clear in _caches:
            clear()


setting_changed.connect(_settings_changed)


def loaded(paths: Iterable[str | None]) -> list[Any]:
    """The objects that dotted ``paths`` name. A default whose app is not installed is left out.

    Raises:
        ImportError: an explicit path names nothing, or a default one was written down and its app is not installed.
    """
    return [import_string(path) for path in paths if path and _is_there(path)]


def _is_there(path: str) -> bool:
    """Whether a default path has its app; any other path is believed."""
    key, app = _KEY_OF_DEFAULT.get(path), path.partition(".")[0]
    if key is None or apps.is_installed(app):
        return True
    if key in steward().model_fields_set:
        raise ImportError(f"{app} is not in INSTALLED_APPS")
    return False


def faults() -> list[str]:
    """What is wrong with ``STEWARD``, a sentence each that names the key and what is allowed."""
    try:
        StewardSettings.model_validate(getattr(django_settings, "STEWARD", {}))
    except ValidationError as error:
        return [_fault(item) for item in error.errors()]
    return []


def _fault(item: Any) -> str:
    key = ".".join(str(part) for part in item["loc"]) or "STEWARD"
    if item["type"] == "extra_forbidden":
        return f"STEWARD has no key {key}. The keys are: {', '.join(sorted(StewardSettings.model_fields))}."
    return f"STEWARD[{key!r}]: {item['msg']}."
