"""Tools as Anthropic takes them, and the one that stands for an answer bound to a schema.

Source: https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/implement-tool-use
"""

from typing import Any

from agentcore.chat import ChatRequest, ToolChoice, ToolSchema
from agentcore.providers.dialects.anthropic_blocks import ANSWER_TOOL
from agentcore.providers.dialects.names import WireNames
from agentcore.providers.profile import ModelProfile
from agentcore.providers.schema_notes import noted, with_notes
from agentcore.providers.schema_refs import with_parts

_CHOICES = {ToolChoice.AUTO: "auto", ToolChoice.REQUIRED: "any", ToolChoice.NONE: "none"}
# The keywords that an answer can be bound to; the others are said in words.
_BINDING = {
    *("type", "description", "title", "enum", "const", "properties", "required", "additionalProperties", "items"),
    *("anyOf", "allOf", "$ref", "$defs", "definitions", "default"),
}
_FORMATS = {"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"}
# What the schema of a tool may hold anywhere but at its top.
_UNIONS = {"anyOf", "oneOf", "allOf"}


def bound(schema: Any) -> Any:
    """``schema`` in the subset that an answer can be bound to: closed objects, and no limits on values.

    Source: https://docs.anthropic.com/en/docs/build-with-claude/structured-outputs#json-schema-limitations
    """
    if not isinstance(schema, dict):
        return schema
    united = {("anyOf" if key == "oneOf" else key): value for key, value in schema.items()}
    kept = _BINDING | ({"format"} if united.get("format") in _FORMATS else set())
    closed = {"additionalProperties": False} if "properties" in united or united.get("type") == "object" else {}
    return with_parts(with_notes(united, kept) | closed, bound)


def answers_by_tool(request: ChatRequest, profile: ModelProfile) -> bool:
    """Whether the answer is the input of a tool: for models that cannot be bound to a schema otherwise."""
    return request.options.response_schema is not None and not profile.json_schema


def tool_definitions(request: ChatRequest, names: WireNames, profile: ModelProfile) -> list[dict[str, Any]]:
    """The definitions, sorted. A history with calls needs some: without any, names stand for what was called."""
    tools = request.tools or [
        ToolSchema(name=name, description="", parameters={})
        for name in {call.name for message in request.messages for call in message.calls}
    ]
    defined = [_tool(tool, names) for tool in sorted(tools, key=lambda tool: tool.name)]
    return [*defined, *([_answer_tool(request)] if answers_by_tool(request, profile) else [])]


def _tool(tool: ToolSchema, names: WireNames) -> dict[str, Any]:
    schema = bound(tool.parameters) if tool.strict else _without_unions(tool.parameters)
    return {
        "name": names.to_wire(tool.name),
        **({"description": tool.description} if tool.description else {}),
        "input_schema": {"type": "object"} | schema,
        **({"strict": True} if tool.strict else {}),
    }


def _answer_tool(request: ChatRequest) -> dict[str, Any]:
    schema = {"type": "object"} | _without_unions(request.options.response_schema or {})
    return {"name": ANSWER_TOOL, "description": "Gives the whole answer to the user.", "input_schema": schema}


def _without_unions(schema: dict[str, Any]) -> dict[str, Any]:
    """``schema`` with the unions at its top said in words."""
    plain = {key: value for key, value in schema.items() if key not in _UNIONS}
    return noted(plain, {key: value for key, value in schema.items() if key in _UNIONS})


def tool_choice(request: ChatRequest, profile: ModelProfile) -> dict[str, Any] | None:
    """Said only where it is not what the API does anyway."""
    choice = request.options.tool_choice if request.tools else ToolChoice.NONE
    if answers_by_tool(request, profile):
        only = {"type": "tool", "name": ANSWER_TOOL} if choice is ToolChoice.NONE else {"type": "any"}
        return only | {"disable_parallel_tool_use": True}
    if not request.tools:
        return {"type": "none"} if any(message.calls for message in request.messages) else None
    one_by_one = not profile.parallel_tools and choice is not ToolChoice.NONE
    if choice is ToolChoice.AUTO and not one_by_one:
        return None
    return {"type": _CHOICES[choice]} | ({"disable_parallel_tool_use": True} if one_by_one else {})
