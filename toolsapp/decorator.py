"""``@agent_tool``: makes a function a tool, and leaves it as callable as it was."""

import inspect
import re
from collections.abc import Callable, Sequence
from string import Formatter
from typing import Any, TypeVar, overload

from agentcore.tools import Effect
from toolsapp.definition import ToolDefinition
from toolsapp.errors import ToolDefinitionError
from toolsapp.registry import REGISTRY, Registry
from toolsapp.schema import check_parameters

F = TypeVar("F", bound=Callable[..., Any])

NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")


@overload
def agent_tool(function: F) -> F: ...


@overload
def agent_tool(
    function: None = None,
    *,
    name: str | None = None,
    description: str | None = None,
    category: str = "",
    hidden: bool = False,
    effect: Effect | str = Effect.READ,
    permission: str | Sequence[str] = (),
    timeout_s: float | None = None,
    idempotent: bool = False,
    summary: Any = "",
    override: bool = False,
    registry: Registry = REGISTRY,
) -> Callable[[F], F]: ...


def agent_tool(function: Any = None, *, registry: Registry = REGISTRY, **options: Any) -> Any:
    """Register a function or a method as a tool. ``docs/reference/tools.md`` explains the options.

    Raises:
        ToolDefinitionError: an option or a parameter cannot be used.
        ToolNameTaken: the name is in use, and ``override`` is not set.
    """

    def decorated(target: F) -> F:
        registry.register(define(target, **options))
        return target

    return decorated if function is None else decorated(function)


def define(
    function: Callable[..., Any],
    *,
    name: str | None = None,
    description: str | None = None,
    effect: Effect | str = Effect.READ,
    permission: str | Sequence[str] = (),
    summary: Any = "",
    **options: Any,
) -> ToolDefinition:
    """The definition of a tool, not registered.

    Raises:
        ToolDefinitionError: an option or a parameter cannot be used.
    """
    check_parameters(function)
    _check_summary(function, str(summary))
    return ToolDefinition(
        function=function,
        name=_checked_name(name or function.__name__),
        description=inspect.cleandoc(description if description is not None else function.__doc__ or ""),
        effect=_effect(function, effect),
        permissions=(permission,) if isinstance(permission, str) else tuple(permission),
        summary=summary,
        **options,
    )


def _checked_name(name: str) -> str:
    if NAME.fullmatch(name):
        return name
    raise ToolDefinitionError(f"{name!r} is no name for a tool: 1 to 64 of A-Z, a-z, 0-9, '_', '.' and '-'.")


def _effect(function: Callable[..., Any], effect: Effect | str) -> Effect:
    try:
        return Effect(effect)
    except ValueError as error:
        known = ", ".join(item.value for item in Effect)
        raise ToolDefinitionError(f"{function.__qualname__}(): {effect!r} is no effect; one of {known}.") from error


def _check_summary(function: Callable[..., Any], template: str) -> None:
    """A summary names parameters and nothing else: no attribute, no index, no format."""
    names = set(inspect.signature(function).parameters)
    try:
        fields = [item[1:] for item in Formatter().parse(template) if item[1] is not None]
    except ValueError as error:
        raise ToolDefinitionError(f"{function.__qualname__}(): the summary is malformed: {error}.") from error
    for field, spec, conversion in fields:
        if field not in names or spec or conversion:
            raise ToolDefinitionError(
                f"{function.__qualname__}(): the summary may name parameters only, as in {{origin}}; "
                f"{{{field}}} is not one."
            )
