"""Arguments: what a model sent, validated, lenient where that is safe and never repeated in an error."""

import json
from collections.abc import Mapping
from copy import deepcopy
from typing import Any, get_args

from django.utils.translation import gettext as _
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails
from pydantic_core.core_schema import ErrorType

from agentcore.errors import ToolArgumentsInvalid
from agentcore.text import clean_text
from toolsapp.schema import Signature

# How deep JSON inside strings inside JSON is unpacked.
ROUNDS = 3
LONGEST_PATH = 200
MOST_PROBLEMS = 10

_KNOWN = frozenset(get_args(ErrorType))
# Pydantic's own texts that repeat a part of the input.
_ECHOES = frozenset(
    {"uuid_parsing", "union_tag_invalid", "json_invalid", "iteration_error", "get_attribute_error", "mapping_type"}
)
# Texts that the tool's developer wrote: useful to the model, unless they repeat the input.
_WRITTEN = frozenset({"value_error", "assertion_error"})


def validated(signature: Signature, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The keyword arguments for the function, defaults included.

    Numbers and booleans may come as strings, numbers where text is wanted, and lists and objects as JSON text; null
    for what is not optional, or a fraction for an integer, is an error.

    Raises:
        ToolArgumentsInvalid: names the paths and what is wrong there, never the values.
    """
    if not isinstance(arguments, Mapping):
        raise _invalid([{"path": "$", "problem": _("Input should be an object")}])
    model = _parsed(signature.model, dict(arguments))
    return {str(field.alias): getattr(model, name) for name, field in signature.model.model_fields.items()}


def _parsed(model: type[BaseModel], arguments: dict[str, Any]) -> BaseModel:
    for _round in range(ROUNDS):
        try:
            return model.model_validate(arguments)
        except ValidationError as error:
            errors = error.errors(include_url=False)
        unpacked = deepcopy(arguments)
        if not [item for item in errors if _unpack(unpacked, item)]:
            break
        arguments = unpacked
    raise _invalid([_problem(item) for item in errors[:MOST_PROBLEMS]])


def _unpack(arguments: dict[str, Any], error: ErrorDetails) -> bool:
    """Replace JSON text of a list or an object by what it says, where one was wanted."""
    text = error["input"]
    if not isinstance(text, str) or not text.lstrip().startswith(("[", "{")):
        return False
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return _replace(arguments, error["loc"], text, value)


def _replace(holder: Any, loc: tuple[int | str, ...], old: str, new: Any) -> bool:
    """Put ``new`` where ``loc`` leads; parts that name a branch of a union lead nowhere and are passed over."""
    for part in loc:
        inside = isinstance(holder, dict) and part in holder
        inside = inside or (isinstance(holder, list) and isinstance(part, int) and part < len(holder))
        if not inside:
            continue
        if holder[part] == old:
            holder[part] = new
            return True
        holder = holder[part]
    return False


def _problem(error: ErrorDetails) -> dict[str, str]:
    path = ".".join(str(part) for part in error["loc"])
    return {"path": clean_text(path)[:LONGEST_PATH] or "$", "problem": _text(error)}


def _text(error: ErrorDetails) -> str:
    kind, message = error["type"], error["msg"]
    if kind == "extra_forbidden":
        return _("There is no such argument")
    if kind == "missing":
        return _("This argument is missing")
    if kind in _ECHOES or ((kind not in _KNOWN or kind in _WRITTEN) and _repeats(message, error["input"])):
        return _("This value is not allowed here")
    return message.removeprefix("Value error, ").removeprefix("Assertion failed, ")


def _repeats(message: str, value: Any) -> bool:
    """Whether a text holds any part of the value."""
    if isinstance(value, BaseModel):
        value = value.model_dump(mode="json")
    if isinstance(value, Mapping):
        return any(_repeats(message, item) for item in value.values())
    if isinstance(value, list | tuple | set | frozenset):
        return any(_repeats(message, item) for item in value)
    return value not in ("", None) and str(value).lower() in message.lower()


def _invalid(problems: list[dict[str, str]]) -> ToolArgumentsInvalid:
    said = "; ".join(f"{item['path']}: {item['problem']}" for item in problems)
    return ToolArgumentsInvalid(
        _("The arguments do not fit the tool. %(problems)s") % {"problems": said}, details=problems
    )
