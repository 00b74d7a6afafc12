"""JSON schemas as trees: their parts, and their references.

A schema may come from a server of tools that nobody here wrote, so its size and its depth are bounded.
Source: https://json-schema.org/draft/2020-12/json-schema-core
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias
from urllib.parse import unquote

Schema: TypeAlias = dict[str, Any]

MAX_DEPTH = 48
MAX_SCHEMAS = 4000

_ONE = {
    *("items", "additionalProperties", "contains", "not", "if", "then", "else", "propertyNames"),
    *("additionalItems", "unevaluatedItems", "unevaluatedProperties"),
}
_MANY = {"anyOf", "oneOf", "allOf", "prefixItems", "items"}
_NAMED = {"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}
DEFINITIONS = ("$defs", "definitions")


def with_parts(schema: Schema, change: Callable[[Any], Any]) -> Schema:
    """A copy of ``schema`` whose direct subschemas are changed. A property that is called like a keyword is none."""
    return {key: _changed(key, value, change) for key, value in schema.items()}


def _changed(key: str, value: Any, change: Callable[[Any], Any]) -> Any:
    if key in _NAMED and isinstance(value, dict):
        return {name: change(part) for name, part in value.items()}
    if key in _MANY and isinstance(value, list):
        return [change(part) for part in value]
    return change(value) if key in _ONE and isinstance(value, dict) else value


def resolved(root: Mapping[str, Any], reference: str) -> Schema:
    """What a local reference means; one that leads nowhere, or out of the document, allows anything."""
    here: Any = root
    for step in unquote(reference.removeprefix("#")).split("/")[1:]:
        here = _step(here, step.replace("~1", "/").replace("~0", "~"))
    return here if reference.startswith("#") and isinstance(here, dict) else {}


def _step(here: Any, step: str) -> Any:
    if isinstance(here, dict):
        return here.get(step)
    return here[int(step)] if isinstance(here, list) and step.isdecimal() and int(step) < len(here) else None


def inlined(schema: Schema) -> Schema:
    """``schema`` with each reference replaced by what it means, and without definitions.

    A model that refers to itself becomes an object without constraints where it comes the second time; so does
    whatever is deeper or larger than the bounds.
    """
    whole: Schema = _Inlining(schema).of(schema, ())
    return whole


class _Inlining:
    def __init__(self, root: Schema) -> None:
        self._root = root
        self._left = MAX_SCHEMAS

    def of(self, schema: Any, path: tuple[str, ...], depth: int = 0) -> Any:
        if not isinstance(schema, dict):
            return schema
        self._left -= 1
        reference = schema.get("$ref")
        if depth > MAX_DEPTH or self._left < 0 or reference in path:
            return _cut(schema)
        if isinstance(reference, str):
            # What stands beside a reference says more about this place, and wins.
            beside = {key: value for key, value in schema.items() if key != "$ref"}
            return self.of(resolved(self._root, reference) | beside, (*path, reference), depth + 1)
        parts = with_parts(schema, lambda part: self.of(part, path, depth + 1))
        # A discriminator names the definitions that are gone.
        return {key: value for key, value in parts.items() if key not in (*DEFINITIONS, "discriminator")}


def _cut(schema: Schema) -> Schema:
    said = {"description": schema["description"]} if "description" in schema else {}
    return {"type": "object", **said}
