"""The subset of OpenAPI 3.0 that Gemini takes: no references, ``nullable`` in place of a null type.

Source: https://ai.google.dev/api/caching#Schema
"""

from functools import reduce
from typing import Any

from agentcore.providers.schema_notes import noted, with_notes
from agentcore.providers.schema_refs import Schema, inlined, with_parts

_KEPT = {
    *("type", "description", "nullable", "enum", "properties", "required", "items", "anyOf", "format"),
    *("minItems", "maxItems", "minimum", "maximum"),
}
_FORMATS = {"date-time", "enum", "float", "double", "int32", "int64"}
_NULL = {"type": "null"}


def openapi(schema: Schema) -> Schema:
    """The schema in Gemini's words; what they cannot say is in the descriptions."""
    converted: Schema = _converted(inlined(schema))
    return converted


def _converted(schema: Any) -> Any:
    if not isinstance(schema, dict):
        return {}
    for step in (_merged, _without_null, _one_type, _enum_of_strings, _list_of_something):
        schema = step(schema)
    kept = _KEPT if schema.get("format") in _FORMATS else _KEPT - {"format"}
    return _required_known(with_parts(with_notes(schema, kept), _converted))


def _merged(schema: Schema) -> Schema:
    """``allOf`` laid over each other, and ``oneOf`` as ``anyOf``."""
    schema = dict(schema)
    choices = [schema.pop(key) for key in ("anyOf", "oneOf") if isinstance(schema.get(key), list)]
    if choices and choices[0]:
        # Where both are asked for, the first is: a choice of choices has no words here.
        schema["anyOf"] = [part if isinstance(part, dict) else {} for part in choices[0]]
    if isinstance(parts := schema.pop("allOf", None), list):
        schema = reduce(_over, [*(_merged(part) for part in parts if isinstance(part, dict)), schema])
    return schema


def _over(one: Schema, other: Schema) -> Schema:
    both = one | other
    if "properties" in one and "properties" in other:
        both["properties"] = one["properties"] | other["properties"]
    if "required" in one and "required" in other:
        both["required"] = list(dict.fromkeys([*one["required"], *other["required"]]))
    return both


def _without_null(schema: Schema) -> Schema:
    """Null is said beside the types, not among them."""
    may_be_null = schema.get("type") == "null"
    schema = {key: value for key, value in schema.items() if key != "type" or not may_be_null}
    for key, null in (("anyOf", _NULL), ("type", "null"), ("enum", None)):
        values = schema.get(key)
        if isinstance(values, list) and null in values:
            may_be_null = True
            schema[key] = [value for value in values if value != null]
            if not schema[key]:
                del schema[key]
    if may_be_null:
        schema["nullable"] = True
    choices = schema.get("anyOf")
    if isinstance(choices, list) and len(choices) == 1 and isinstance(choices[0], dict):
        del schema["anyOf"]
        schema = _without_null(_merged(choices[0])) | schema
    return schema


def _one_type(schema: Schema) -> Schema:
    """A list of types is a choice between them."""
    kinds = schema.get("type")
    if not isinstance(kinds, list):
        return schema
    rest = {key: value for key, value in schema.items() if key != "type"}
    if len(kinds) == 1:
        return rest | {"type": kinds[0]}
    if "anyOf" in rest or not kinds:
        return rest
    return rest | {"anyOf": [{"type": kind} for kind in kinds]}


def _enum_of_strings(schema: Schema) -> Schema:
    """Only texts can be listed; other values are named in the description."""
    schema = dict(schema)
    if "const" in schema:
        schema["enum"] = [schema.pop("const")]
    values = schema.get("enum")
    # An empty text cannot be listed either.
    if not isinstance(values, list):
        return schema
    if values and all(isinstance(value, str) and value for value in values):
        return {"type": "string"} | schema
    del schema["enum"]
    return noted(schema, {"one of": values})


def _list_of_something(schema: Schema) -> Schema:
    """A list says what is in it; a tuple becomes a list of any of its parts."""
    if schema.get("type") != "array" or isinstance(schema.get("items"), dict):
        return schema
    parts = schema.get("prefixItems", schema.get("items"))
    rest = {key: value for key, value in schema.items() if key != "prefixItems"}
    choices: list[Any] = []
    choices += [part for part in (parts if isinstance(parts, list) else ()) if part not in choices]
    if not choices:
        return rest | {"items": {"type": "object"}}
    return rest | {"items": choices[0] if len(choices) == 1 else {"anyOf": choices}}


def _required_known(schema: Schema) -> Schema:
    properties = schema.get("properties", {})
    if "required" not in schema:
        return schema
    required = [name for name in schema["required"] if name in properties]
    rest = {key: value for key, value in schema.items() if key != "required"}
    return rest | {"required": required} if required else rest
