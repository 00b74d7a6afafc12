"""A request fitted to its model, and the way back: what the model wrote, as the tools were defined."""

from dataclasses import replace
from typing import Any

from agentcore.chat import ChatOptions, ChatRequest, ModelEvent, ToolCall, ToolSchema
from agentcore.providers.profile import ModelProfile, SchemaDialect
from agentcore.providers.schema_refs import Schema, resolved
from agentcore.providers.schema_strict import allows_null
from agentcore.providers.schemas import transformed

# References that a check for null follows; a ring of them allows nothing.
_MAX_REFERENCES = 16
_TYPED = {"type", "enum", "const", "properties"}


def fitted(request: ChatRequest, profile: ModelProfile) -> ChatRequest:
    """With schemas that the model takes, and no more output than it can give."""
    tools = tuple(_fitted_tool(tool, profile.schema_dialect) for tool in request.tools)
    return replace(request, tools=tools, options=_fitted_options(request.options, profile))


def _fitted_tool(tool: ToolSchema, dialect: SchemaDialect) -> ToolSchema:
    parameters, is_strict = transformed(tool.parameters, dialect)
    return replace(tool, parameters=parameters, strict=is_strict)


def _fitted_options(options: ChatOptions, profile: ModelProfile) -> ChatOptions:
    if options.response_schema is not None:
        schema, is_strict = transformed(options.response_schema, profile.schema_dialect)
        options = replace(options, response_schema=schema, response_strict=is_strict)
    if options.max_output_tokens is not None and profile.output_cap is not None:
        options = replace(options, max_output_tokens=min(options.max_output_tokens, profile.output_cap))
    return options


def restored(event: ModelEvent, request: ChatRequest) -> ModelEvent:
    """A call without the nulls that stand for what was left out, so that the tool's own defaults apply.

    ``request`` is the one that was not fitted. A null that a tool allows, or that stands for what it requires, stays.
    """
    if not isinstance(event, ToolCall):
        return event
    schema = next((tool.parameters for tool in request.tools if tool.name == event.name), None)
    if schema is None:
        return event
    try:
        return replace(event, arguments=_Restoring(schema).of(event.arguments, schema))
    except (RecursionError, TypeError, AttributeError):
        # What is no schema says nothing of nulls.
        return event


class _Restoring:
    def __init__(self, root: Schema) -> None:
        self._root = root

    def of(self, value: Any, schema: Any) -> Any:
        schema = self._meant(value, schema)
        if isinstance(value, list):
            return [self.of(item, schema.get("items")) for item in value]
        properties = schema.get("properties")
        if not isinstance(value, dict) or not isinstance(properties, dict):
            return value
        return {
            name: self.of(item, properties.get(name))
            for name, item in value.items()
            if item is not None or name not in properties or self._stays(name, schema)
        }

    def _stays(self, name: str, schema: Schema) -> bool:
        return name in schema.get("required", ()) or self._allows_null(schema["properties"][name])

    def _allows_null(self, schema: Any) -> bool:
        schema = self._followed(schema)
        if choices := _choices(schema):
            return any(self._allows_null(choice) for choice in choices)
        # Without a word about its type anything is allowed.
        return not schema.keys() & _TYPED or schema.get("nullable") is True or allows_null(schema)

    def _meant(self, value: Any, schema: Any) -> Schema:
        """The schema that ``value`` was written for; of a union, the first part that knows all that it says."""
        schema = self._followed(schema)
        meanings = (self._meant(value, choice) for choice in _choices(schema))
        return next((meant for meant in meanings if _may_be(value, meant)), schema)

    def _followed(self, schema: Any) -> Schema:
        for _reference in range(_MAX_REFERENCES):
            if not isinstance(schema, dict) or not isinstance(schema.get("$ref"), str):
                break
            schema = resolved(self._root, schema["$ref"])
        return schema if isinstance(schema, dict) else {}


def _choices(schema: Schema) -> list[Any]:
    return [part for key in ("anyOf", "oneOf", "allOf") for part in schema.get(key, ())]


def _may_be(value: Any, schema: Schema) -> bool:
    if isinstance(value, list):
        return "items" in schema
    properties = schema.get("properties", {})
    if not isinstance(value, dict) or not value.keys() <= properties.keys():
        return False
    fixed = {name: part["const"] for name, part in properties.items() if isinstance(part, dict) and "const" in part}
    return all(value[name] == const for name, const in fixed.items() if value.get(name) is not None)
