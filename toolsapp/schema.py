"""The schema of a tool, read from its signature: what the model is shown and what arguments are validated with."""

import inspect
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model
from pydantic.errors import PydanticUserError
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import PydanticOmit
from pydantic_core.core_schema import CoreSchema

from agentcore.tools import ToolContext
from toolsapp.errors import ToolDefinitionError

_CONFIG = ConfigDict(extra="forbid", coerce_numbers_to_str=True)
_MANY = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
_SUBSCHEMAS = ("properties", "patternProperties", "$defs")


@dataclass(frozen=True, kw_only=True)
class Signature:
    """A function's parameters, split into what the model fills in and what we do.

    ``parameters`` is a JSON schema of an object, its ``$ref`` resolving from its own root; properties are in the
    order of the signature. ``contexts`` are the names of the parameters that get the ``ToolContext``.
    """

    model: type[BaseModel]
    parameters: dict[str, Any]
    contexts: tuple[str, ...]
    is_method: bool

    @classmethod
    def of(cls, function: Callable[..., Any]) -> "Signature":
        """
        Raises:
            ToolDefinitionError: a parameter takes any number of values, has no annotation, or none with a schema.
        """
        check_parameters(function)
        hints = _hints(function)
        method = is_method(function)
        parameters = list(inspect.signature(function).parameters.values())[method:]
        contexts = tuple(item.name for item in parameters if is_context(hints.get(item.name)))
        shown = [item for item in parameters if item.name not in contexts]
        model = _model(function, shown, hints)
        return cls(model=model, parameters=_json_schema(function, model), contexts=contexts, is_method=method)


def check_parameters(function: Callable[..., Any]) -> None:
    """Refuse what no schema can say.

    Raises:
        ToolDefinitionError: ``*args``, ``**kwargs`` or a parameter that cannot be passed by name.
    """
    for item in list(inspect.signature(function).parameters.values())[is_method(function) :]:
        if item.kind in _MANY:
            raise ToolDefinitionError(
                f"{function.__qualname__}() takes {_MANY[item.kind]}{item.name}: a model cannot be told what to put "
                "there. Name every parameter."
            )
        if item.kind is inspect.Parameter.POSITIONAL_ONLY:
            raise ToolDefinitionError(f"{function.__qualname__}() takes {item.name} by position only; drop the '/'.")


def is_method(function: Callable[..., Any]) -> bool:
    """Whether the first parameter is the object itself."""
    first = next(iter(inspect.signature(function).parameters), None)
    return first == "self" and "." in function.__qualname__


def is_context(annotation: Any) -> bool:
    """Whether an annotation asks for the ``ToolContext``, alone, optional or annotated."""
    if get_origin(annotation) in {Annotated, Union, types.UnionType}:
        return any(is_context(item) for item in get_args(annotation))
    return isinstance(annotation, type) and issubclass(annotation, ToolContext)


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    try:
        return get_type_hints(function, include_extras=True)
    except (NameError, TypeError) as error:
        raise ToolDefinitionError(f"{function.__qualname__}(): an annotation cannot be resolved: {error}.") from error


def _model(
    function: Callable[..., Any], parameters: list[inspect.Parameter], hints: Mapping[str, Any]
) -> type[BaseModel]:
    for item in parameters:
        if item.name not in hints:
            raise ToolDefinitionError(f"{function.__qualname__}(): the parameter {item.name} has no annotation.")
    # Aliases, so that a parameter may be called ``schema`` or ``_x``, which a pydantic field may not.
    fields: dict[str, Any] = {f"p{i}": _field(item, hints[item.name]) for i, item in enumerate(parameters)}
    try:
        return create_model(function.__name__, __config__=_CONFIG, __module__=function.__module__, **fields)
    except (PydanticUserError, TypeError) as error:
        raise ToolDefinitionError(f"{function.__qualname__}(): {error}") from error


def _field(parameter: inspect.Parameter, annotation: Any) -> tuple[Any, Any]:
    default = ... if parameter.default is inspect.Parameter.empty else parameter.default
    annotation = described(annotation)
    if default is None and not _admits_none(annotation):
        annotation = annotation | None
    return Annotated[annotation, Field(alias=parameter.name)], default


def _admits_none(annotation: Any) -> bool:
    if get_origin(annotation) is Annotated:
        return _admits_none(get_args(annotation)[0])
    return annotation in {None, type(None), Any} or any(_admits_none(item) for item in _branches(annotation))


def _branches(annotation: Any) -> tuple[Any, ...]:
    return get_args(annotation) if get_origin(annotation) in {Union, types.UnionType} else ()


def described(annotation: Any) -> Any:
    """``annotation`` with plain strings of ``Annotated`` as descriptions, at any depth and in any order.

    A ``Field`` with a description of its own wins over the string.
    """
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        inner, *extras = arguments
        texts = [Field(description=" ".join(item for item in extras if isinstance(item, str)))]
        kept = [item for item in extras if not isinstance(item, str)]
        return Annotated[(described(inner), *(texts if len(kept) < len(extras) else []), *kept)]
    if origin in {Union, types.UnionType}:
        return Union[tuple(described(item) for item in arguments)]  # noqa: UP007
    if origin in {list, set, frozenset, dict, tuple}:
        return origin[tuple(described(item) for item in arguments)]
    return annotation


def _json_schema(function: Callable[..., Any], model: type[BaseModel]) -> dict[str, Any]:
    try:
        schema = model.model_json_schema(schema_generator=_Schemas)
    except (PydanticUserError, PydanticOmit) as error:
        raise ToolDefinitionError(f"{function.__qualname__}() has no JSON schema: {error}") from error
    schema.pop("description", None)
    return {"type": "object", "properties": {}} | _without_titles(schema)


class _Schemas(GenerateJsonSchema):
    """JSON schemas as a model should read them: string descriptions of nested fields kept, no noise."""

    # A default that JSON cannot hold is simply not shown.
    ignored_warning_kinds = {"skipped-choice", "non-serializable-default"}

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def model_schema(self, schema: Any) -> JsonSchemaValue:
        return _with_texts(schema, super().model_schema(schema))

    def dataclass_schema(self, schema: Any) -> JsonSchemaValue:
        return _with_texts(schema, super().dataclass_schema(schema))

    def typed_dict_schema(self, schema: Any) -> JsonSchemaValue:
        return _with_texts(schema, super().typed_dict_schema(schema))


def _with_texts(core: CoreSchema | Mapping[str, Any], schema: JsonSchemaValue) -> JsonSchemaValue:
    """Pydantic drops the plain strings of ``Annotated``; put them back on the fields of a class."""
    owner: Any = core.get("cls")
    if owner is None:
        return schema
    fields: Mapping[str, FieldInfo] = getattr(owner, "__pydantic_fields__", {})
    for name, annotation in get_type_hints(owner, include_extras=True).items():
        texts = [item for item in getattr(annotation, "__metadata__", ()) if isinstance(item, str)]
        shown = schema.get("properties", {}).get(getattr(fields.get(name), "alias", None) or name)
        if texts and shown is not None:
            shown.setdefault("description", " ".join(texts))
    return schema


def _without_titles(schema: Any) -> Any:
    """Titles repeat the names that are there already, at a price for each call."""
    if isinstance(schema, list):
        return [_without_titles(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: value for key, value in schema.items() if not (key == "title" and isinstance(value, str))}
    return {key: _children(value) if key in _SUBSCHEMAS else _kept(key, value) for key, value in kept.items()}


def _children(named: dict[str, Any]) -> dict[str, Any]:
    return {name: _without_titles(schema) for name, schema in named.items()}


def _kept(key: str, value: Any) -> Any:
    # Values of the site, not schemas: a default may be a dict with a title of its own.
    return value if key in {"default", "const", "enum", "examples"} else _without_titles(value)
