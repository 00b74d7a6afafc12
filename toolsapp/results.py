"""Results: what a tool returned, as JSON that every database, model and browser can hold."""

import dataclasses
import math
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any

from django.db.models import Model
from django.db.models.fields.files import FieldFile
from django.utils.functional import Promise
from pydantic import BaseModel
from pydantic_core import PydanticSerializationError, to_jsonable_python

from agentcore.text import clean_json, clean_text
from agentcore.tools import ToolResult
from toolsapp.errors import UnserialisableResult


def as_result(value: Any) -> ToolResult:
    """A return value as a result; a ``ToolResult`` stays one. ``None`` stays null, it is not an empty object.

    Reads the database when the value is a queryset.

    Raises:
        UnserialisableResult: the value, or a part of it, has no JSON form.
    """
    if not isinstance(value, ToolResult):
        return ToolResult(for_model=clean_json(as_json(value)))
    return dataclasses.replace(
        value, for_model=clean_json(as_json(value.for_model)), for_ui=clean_json(as_json(value.for_ui))
    )


def as_json(value: Any) -> Any:
    """Model rows become their own columns, dates ISO 8601, ``Decimal`` and ``UUID`` strings, enums their values.

    Raises:
        UnserialisableResult: the value, or a part of it, has no JSON form.
    """
    match value:
        case Enum():
            return as_json(value.value)
        case None | bool() | int():
            return value
        case float():
            # JSON has no word for infinity, and PostgreSQL refuses it.
            return value if math.isfinite(value) else str(value)
        case str() | Promise():
            return clean_text(str(value))
        case bytes() | bytearray() | memoryview():
            raise UnserialisableResult("The tool returned bytes; return text, or base64 text.")
        case Model():
            return _row(value)
        case BaseModel():
            return as_json(value.model_dump(mode="python"))
        case Mapping():
            return {_key(key): as_json(item) for key, item in value.items()}
        case _ if dataclasses.is_dataclass(value) and not isinstance(value, type):
            return {item.name: as_json(getattr(value, item.name)) for item in dataclasses.fields(value)}
        case set() | frozenset():
            return sorted((as_json(item) for item in value), key=repr)
        case FieldFile():
            return value.name or None
        case Iterable() if not isinstance(value, type):
            return [as_json(item) for item in value]
    return _leaf(value)


def _row(row: Model) -> dict[str, Any]:
    """The columns of a row. A password is nobody's answer, not even hashed."""
    fields = [field for field in row._meta.concrete_fields if field.name != "password"]
    return {field.attname: as_json(field.value_from_object(row)) for field in fields}


def _key(key: Any) -> str:
    plain = as_json(key)
    return plain if isinstance(plain, str) else str(plain)


def _leaf(value: Any) -> Any:
    try:
        return to_jsonable_python(value)
    except (PydanticSerializationError, ValueError) as error:
        raise UnserialisableResult(f"The tool returned a {type(value).__name__}, which has no JSON form.") from error
