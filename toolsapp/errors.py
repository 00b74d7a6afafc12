"""What a developer of a tool did wrong: raised at start, shown by a system check, never seen by a model."""

from typing import ClassVar


class ToolDefinitionError(TypeError):
    """A function that cannot be a tool as it stands. ``check_id`` and ``hint`` belong to the system check."""

    check_id: ClassVar[str] = "steward.E101"
    hint: ClassVar[str] = "Annotate every parameter with a type that pydantic knows; see docs/reference/tools.md."


class ToolNameTaken(ToolDefinitionError):
    """A second tool of the same name that does not say ``override=True``."""

    check_id = "steward.E102"
    hint = "Give one of them another name, or pass override=True to the one that shall win."


class UnserialisableResult(TypeError):
    """A tool returned a value that has no JSON form, bytes for one."""


class ToolEscaped(Exception):
    """A tool raised what is not for its caller, ``SystemExit`` for one; it would have ended the whole process."""
