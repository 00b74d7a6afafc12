"""Results: what a tool returned, as JSON that every database, model and browser can hold."""

import dataclasses
import math
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any, TypeVar

from django.db.models import Model
from django.db.models.fields.files import FieldFile
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from pydantic import BaseModel
from pydantic_core import PydanticSerializationError, to_jsonable_python

from agentcore.conf import steward
from agentcore.errors import ToolFailed
from agentcore.text import clean_json, clean_text
from agentcore.tools import ToolResult
from toolsapp.errors import UnserialisableResult

T = TypeVar("T")


def as_result(value: Any) -> ToolResult:
    """A return value as a result; a ``ToolResult`` stays one. ``None`` stays null, it is not an empty object.

    Reads the database when the value is a queryset.

    Raises:
        UnserialisableResult: the value, or a part of it, has no JSON form.
        ToolFailed: it is longer than ``MAX_TOOL_RESULT_CHARS``. What is left of it was not read.
    """
    if not isinstance(value, ToolResult):
        return ToolResult(for_model=as_json(value))
    return dataclasses.replace(value, for_model=as_json(value.for_model), for_ui=as_json(value.for_ui))


def as_json(value: Any) -> Any:
    """Model rows become their own columns, dates ISO 8601, ``Decimal`` and ``UUID`` strings, enums their values.

    Raises:
        UnserialisableResult, ToolFailed: as ``as_result``.
    """
    return clean_json(_Json(steward().MAX_TOOL_RESULT_CHARS).of(value))


class _Json:
    """Makes JSON of one value, and stops when it becomes longer than ``most`` characters: it may have no end."""

    def __init__(self, most: int) -> None:
        self._most, self._left = most, most

    def of(self, value: Any) -> Any:
        match value:
            case Enum():
                return self.of(value.value)
            case None | bool() | int():
                return self._counted(value, 1)
            case float():
                # JSON has no word for infinity, and PostgreSQL refuses it.
                return self._counted(value if math.isfinite(value) else str(value), 1)
            case str() | Promise():
                text = str(value)
                return clean_text(self._counted(text, len(text) + 1))
            case bytes() | bytearray() | memoryview():
                raise UnserialisableResult("The tool returned bytes; return text, or base64 text.")
            case Model():
                return self.of(_columns(value))
            case BaseModel():
                return self.of(value.model_dump(mode="python"))
            case Mapping():
                return {self._key(key): self.of(item) for key, item in value.items()}
            case _ if dataclasses.is_dataclass(value) and not isinstance(value, type):
                return {item.name: self.of(getattr(value, item.name)) for item in dataclasses.fields(value)}
            case set() | frozenset():
                return sorted((self.of(item) for item in value), key=repr)
            case FieldFile():
                return value.name or None
            case Iterable() if not isinstance(value, type):
                return [self._counted(self.of(item), 1) for item in value]
        return self.of(_leaf(value))

    def _counted(self, value: T, size: int) -> T:
        self._left -= size
        if self._left < 0:
            text = _("The result is longer than %(most)d characters. Ask for less of it.") % {"most": self._most}
            raise ToolFailed(text)
        return value

    def _key(self, key: Any) -> str:
        plain = self.of(key)
        return plain if isinstance(plain, str) else str(plain)


def _columns(row: Model) -> dict[str, Any]:
    """The columns of a row. A password is nobody's answer, not even hashed."""
    fields = [field for field in row._meta.concrete_fields if field.name != "password"]
    return {field.attname: field.value_from_object(row) for field in fields}


def _leaf(value: Any) -> Any:
    """A date, a UUID and their like, as pydantic writes them: text or a number."""
    try:
        return to_jsonable_python(value)
    except (PydanticSerializationError, ValueError) as error:
        raise UnserialisableResult(f"The tool returned a {type(value).__name__}, which has no JSON form.") from error
