"""What a tool is: a name, a schema, an effect, and something to call. How one is made is the toolbox's business."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol
from uuid import UUID

from agentcore.chat import ToolSchema


class Effect(StrEnum):
    """What a call may do to the world. Everything but ``READ`` asks first."""

    READ = "read"
    WRITE = "write"
    DESTRUCTIVE = "destructive"
    EXTERNAL = "external"


class CancelReason(StrEnum):
    """Why a run was stopped before its end."""

    USER = "user"
    SUPERSEDED = "superseded"
    DEADLINE = "deadline"
    SHUTDOWN = "shutdown"


class CancelToken:
    """A flag that a synchronous tool can look at, since a thread cannot be stopped from outside."""

    def __init__(self) -> None:
        self._cancelled = False
        self.reason = ""

    def cancel(self, reason: str = CancelReason.USER) -> None:
        """Set the flag; the first reason stands."""
        self._cancelled, self.reason = True, self.reason or reason

    @property
    def is_cancelled(self) -> bool:
        return self._cancelled


@dataclass(frozen=True, kw_only=True)
class Caller:
    """On whose behalf something happens. ``user`` is the site's own user object, opaque to the kernel."""

    user: Any = None
    user_id: str | None = None
    username: str = ""
    tenant: str = ""
    locale: str = "en"
    time_zone: str = "UTC"


@dataclass(frozen=True, kw_only=True)
class ToolContext:
    """Who calls, and from where: filled in by us, never by the model, and in no schema."""

    caller: Caller = field(default_factory=Caller)
    run_id: UUID | None = None
    conversation_id: UUID | None = None
    call_id: str = ""
    request_id: str = ""
    cancel: CancelToken = field(default_factory=CancelToken)

    @property
    def user(self) -> Any:
        return self.caller.user

    @property
    def tenant(self) -> str:
        return self.caller.tenant

    @property
    def locale(self) -> str:
        return self.caller.locale


@dataclass(frozen=True, kw_only=True)
class ToolResult:
    """What a tool gives back when a plain value does not say enough.

    ``for_model`` is a JSON value that the model reads; ``for_ui`` one that the card shows instead; ``invalidates``
    names what the page should load again.
    """

    for_model: Any = None
    for_ui: Any = None
    invalidates: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Tool:
    """A tool as the loop sees it.

    ``invoke`` takes the arguments as the model sent them and validates them itself.

    Raises (from ``invoke``):
        ToolError: the model reads its code and message. Any other exception becomes ``TOOL_FAILED``.
    """

    name: str
    description: str
    parameters: dict[str, Any]
    invoke: Callable[[Mapping[str, Any], ToolContext], Awaitable[ToolResult]]
    effect: Effect = Effect.READ
    category: str = ""
    source: str = "app"
    permission: str = ""
    hidden: bool = False
    idempotent: bool = False
    timeout_s: float | None = None
    definition_hash: str = ""
    summarise: Callable[[Mapping[str, Any]], str] | None = None

    def schema(self) -> ToolSchema:
        return ToolSchema(name=self.name, description=self.description, parameters=self.parameters)

    def summary(self, arguments: Mapping[str, Any]) -> str:
        """What the call does, in one line for the card."""
        return self.summarise(arguments) if self.summarise else ""


class Toolset(Protocol):
    """A source of tools, named by a dotted path in ``STEWARD["TOOLSETS"]``."""

    def tools_for(self, caller: Caller) -> Sequence[Tool]:
        """The tools that ``caller`` may call, hidden ones left out. Synchronous: it may read the database."""
