"""A tool as its developer declared it: a function and the options of its decorator."""

import hashlib
import inspect
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from agentcore.policy import SEPARATOR
from agentcore.tools import Effect, ToolContext
from toolsapp.errors import ToolDefinitionError
from toolsapp.schema import Signature, is_context


@dataclass(frozen=True, kw_only=True, eq=False)
class ToolDefinition:
    """One declared tool. Everything that costs time is worked out once, when it is first asked for.

    ``permissions`` are Django permissions, all of which the caller needs.
    """

    function: Callable[..., Any]
    name: str
    description: str
    category: str = ""
    hidden: bool = False
    effect: Effect = Effect.READ
    permissions: tuple[str, ...] = ()
    timeout_s: float | None = None
    idempotent: bool = False
    summary: Any = ""
    override: bool = False

    @property
    def module(self) -> str:
        return self.function.__module__

    @property
    def permission(self) -> str:
        return SEPARATOR.join(self.permissions)

    def describe(self) -> None:
        """Work out everything that the function's own source decides.

        Raises:
            ToolDefinitionError: a parameter has no annotation, or one that has no schema.
        """
        if self.signature.is_method:
            owner_of(self.function)

    @cached_property
    def signature(self) -> Signature:
        """
        Raises:
            ToolDefinitionError: a parameter has no annotation, or one that has no schema.
        """
        return Signature.of(self.function)

    @cached_property
    def definition_hash(self) -> str:
        """SHA-256 over what an approval relies on: it changes when the tool may do something else."""
        parts = {
            "name": self.name,
            "parameters": self.signature.parameters,
            "effect": self.effect.value,
            "permission": self.permission,
        }
        text = json.dumps(parts, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    def target(self, context: ToolContext) -> Callable[..., Any]:
        """What to call: the function, or the method of an object that is built for this one call."""
        if not self.signature.is_method:
            return self.function
        owner = owner_of(self.function)
        takes_context = any(is_context(item.annotation) for item in inspect.signature(owner).parameters.values())
        instance = owner(context) if takes_context else owner()
        bound: Callable[..., Any] = self.function.__get__(instance)
        return bound

    def same_place(self, other: "ToolDefinition") -> bool:
        """Whether both come from the same line of the same module, as after a reload."""
        return (self.module, self.function.__qualname__) == (other.module, other.function.__qualname__)

    def summarise(self, arguments: Mapping[str, Any]) -> str:
        """The line for the card. The arguments are the model's own, not validated yet."""
        return str(self.summary).format_map(_Shown(arguments)) if self.summary else ""


class _Shown(dict[str, str]):
    """Arguments as they stand in a summary: as text, cut to a line, and never an attribute of anything."""

    LONGEST = 200

    def __init__(self, arguments: Mapping[str, Any]) -> None:
        super().__init__({key: self._line(value) for key, value in arguments.items()})

    def __missing__(self, key: str) -> str:
        return "…"

    def _line(self, value: Any) -> str:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
        text = " ".join(text[: 2 * self.LONGEST].split())
        return text if len(text) <= self.LONGEST else text[: self.LONGEST - 1] + "…"


def owner_of(method: Callable[..., Any]) -> Callable[..., Any]:
    """The class that a method was written in."""
    owner: Any = sys.modules[method.__module__]
    for part in method.__qualname__.split(".")[:-1]:
        owner = getattr(owner, part, None)
    if not isinstance(owner, type):
        raise ToolDefinitionError(f"{method.__qualname__} is a method of a class that its module does not name.")
    return owner
