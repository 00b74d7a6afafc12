"""OpenAI's strict mode: the subset of JSON schema that an answer can be bound to.

Source: https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
"""

from typing import Any

from agentcore.providers.schema_notes import with_notes
from agentcore.providers.schema_refs import DEFINITIONS, Schema, resolved, with_parts

_KEPT = {
    *("type", "description", "enum", "const", "properties", "required", "additionalProperties", "items", "anyOf"),
    *("$ref", "$defs", "definitions", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    *("multipleOf", "minItems", "maxItems"),
}
_FORMATS = {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
# They say something that the subset cannot.
_BEYOND = {
    *("not", "if", "then", "else", "patternProperties", "dependentSchemas", "dependentRequired", "prefixItems"),
    *("propertyNames", "contains", "unevaluatedProperties", "additionalItems"),
}
_BESIDE_A_REFERENCE = {"description", "title", "default", "examples", "deprecated"}
# As deep as it may nest; here a union counts too.
_LEVELS = 10
_SHAPES = {"type", "anyOf", "$ref", "enum", "const"}


class _NotStrict(Exception):
    """The schema allows what no strict schema can."""


def strict(schema: Schema) -> Schema | None:
    """The strict schema that means the same, or None: a free-form object, for one, cannot be strict.

    Every property is required, and what could be left out may be null.
    """
    try:
        root = _rooted(schema)
        return _strict(root, 0) if root.get("type") == "object" else None
    except _NotStrict:
        return None


def _rooted(schema: Schema) -> Schema:
    """The root must be an object itself, not a reference to one."""
    if not isinstance(schema.get("$ref"), str):
        return schema
    definitions = {key: schema[key] for key in DEFINITIONS if key in schema}
    beside = {key: value for key, value in schema.items() if key != "$ref"}
    return resolved(schema, schema["$ref"]) | beside | definitions


def _strict(schema: Any, depth: int) -> Schema:
    if not isinstance(schema, dict) or depth > _LEVELS or _BEYOND & schema.keys():
        raise _NotStrict
    schema = _in_any_of(schema)
    is_list = "array" in _types(schema)
    if not _SHAPES & schema.keys() or (is_list and not isinstance(schema.get("items"), dict)):
        raise _NotStrict
    kept = _KEPT if schema.get("format") in _FORMATS else _KEPT - {"format"}
    is_object = "object" in _types(schema)
    said = (
        with_notes(_closed(schema), kept) | {"additionalProperties": False} if is_object else with_notes(schema, kept)
    )
    return with_parts(said, lambda part: _strict(part, depth + 1))


def _in_any_of(schema: Schema) -> Schema:
    """Unions and references in the one spelling that is taken: nothing may stand beside a reference."""
    spelt = [key for key in ("anyOf", "oneOf", "allOf", "$ref") if key in schema]
    if len(spelt) > 1 or len(schema.get("allOf", [0])) != 1:
        raise _NotStrict
    if spelt == ["$ref"]:
        beside = schema.keys() - {"$ref", *DEFINITIONS}
        if not beside <= _BESIDE_A_REFERENCE:
            raise _NotStrict
        return _renamed(schema, "$ref", "anyOf", [{"$ref": schema["$ref"]}]) if beside else schema
    return _renamed(schema, spelt[0], "anyOf", schema[spelt[0]]) if spelt else schema


def _renamed(schema: Schema, key: str, new: str, value: Any) -> Schema:
    """With another keyword in the place of ``key``."""
    return {(new if name == key else name): (value if name == key else other) for name, other in schema.items()}


def _closed(schema: Schema) -> Schema:
    """An object with all its properties required. One that takes any properties cannot be closed."""
    properties = schema.get("properties", {})
    # Without a word on others, an object that names none is taken for one that takes any.
    if schema.get("additionalProperties", "properties" not in schema) is not False:
        raise _NotStrict
    required = set(schema.get("required", ()))
    if not required <= properties.keys():
        raise _NotStrict
    shown = {name: part if name in required else _nullable(part) for name, part in (properties or {}).items()}
    return schema | {"properties": shown, "required": list(shown)}


def _nullable(schema: Any) -> Any:
    """``schema``, which may be null as well."""
    if not isinstance(schema, dict) or allows_null(schema):
        return schema
    schema = _in_any_of(schema)
    if "anyOf" in schema:
        return schema | {"anyOf": [*schema["anyOf"], {"type": "null"}]}
    if "$ref" in schema:
        return {"anyOf": [schema, {"type": "null"}]}
    if "const" in schema:
        schema = _renamed(schema, "const", "enum", [schema["const"]])
    choices = {"enum": [*schema["enum"], None]} if "enum" in schema else {}
    kinds = {"type": [*_types(schema), "null"]} if "type" in schema else {}
    return schema | choices | kinds


def allows_null(schema: Schema) -> bool:
    """Whether ``schema`` itself, references aside, names null."""
    if any(isinstance(part, dict) and allows_null(part) for key in ("anyOf", "oneOf") for part in schema.get(key, ())):
        return True
    if "enum" in schema or "const" in schema:
        return None in schema.get("enum", [schema.get("const")])
    return "null" in _types(schema)


def _types(schema: Schema) -> list[Any]:
    kind = schema.get("type", [])
    return kind if isinstance(kind, list) else [kind]
