"""Keywords that a provider does not take, said in the description instead: the model reads them there."""

import json
from collections.abc import Collection
from typing import Any

from agentcore.providers.schema_refs import Schema

# Nothing that a model could keep to.
_SILENT = {
    *("title", "$schema", "$id", "$anchor", "$comment", "$defs", "definitions", "discriminator", "deprecated"),
    *("readOnly", "writeOnly", "contentMediaType", "contentEncoding", "propertyOrdering", "unevaluatedProperties"),
    "strict",
}


def with_notes(schema: Schema, kept: Collection[str]) -> Schema:
    """Only the keywords that are ``kept``; what the others ask for is added to the description."""
    lost = {key: value for key, value in schema.items() if key not in kept and _says_something(key, value)}
    return noted({key: value for key, value in schema.items() if key in kept}, lost)


def _says_something(key: str, value: Any) -> bool:
    return key not in _SILENT and value is not None and not (key == "additionalProperties" and isinstance(value, bool))


def noted(schema: Schema, notes: dict[str, Any]) -> Schema:
    """``schema`` with ``notes`` behind its description."""
    if not notes:
        return schema
    said = ", ".join(f"{key}: {json.dumps(value, ensure_ascii=False, default=str)}" for key, value in notes.items())
    described = f"{schema.get('description', '')} ({said})".strip()
    return schema | {"description": described}
