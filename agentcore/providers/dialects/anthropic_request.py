"""A request as Anthropic's Messages API takes it.

Source: https://docs.anthropic.com/en/api/messages
"""

from typing import Any

from agentcore.chat import ChatRequest, ToolChoice, ToolSchema
from agentcore.providers.dialects.anthropic_messages import CACHE_HERE, encoded_messages, system_blocks
from agentcore.providers.dialects.names import WireNames
from agentcore.providers.profile import ModelProfile, Target
from agentcore.providers.schema_notes import noted, with_notes
from agentcore.providers.schema_refs import with_parts

# The API wants a limit. This one every model of theirs can keep.
DEFAULT_MAX_TOKENS = 4096

_CHOICES = {ToolChoice.AUTO: "auto", ToolChoice.REQUIRED: "any", ToolChoice.NONE: "none"}
# The keywords that an answer can be bound to; the others are said in words.
_BINDING = {
    *("type", "description", "title", "enum", "const", "properties", "required", "additionalProperties", "items"),
    *("anyOf", "allOf", "$ref", "$defs", "definitions", "default"),
}
_FORMATS = {"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"}
# What the schema of a tool may hold anywhere but at its top.
_UNIONS = {"anyOf", "oneOf", "allOf"}


def encode(request: ChatRequest, target: Target) -> dict[str, Any]:
    """The request body; the option ``body`` is laid over it.

    The prefix is stable: tools are sorted, and the definitions stay when none may be called, since the history may
    hold calls of them. The profile's ``cache_markers`` mark its ends: tools, system, and up to two in the history.
    """
    names, options, profile = WireNames.of(request), request.options, target.profile
    body: dict[str, Any] = {
        "model": request.model,
        "max_tokens": options.max_output_tokens or DEFAULT_MAX_TOKENS,
        "stream": True,
        "tools": _tools(request, names) or None,
        "tool_choice": _tool_choice(request, profile),
        "system": system_blocks(request.messages) or None,
        "messages": encoded_messages(request.messages, names, cache_markers=profile.cache_markers),
        "temperature": options.temperature,
    }
    if options.response_schema is not None:
        # Not a tool that must be called: that forbids thinking and other tools, and its answer is no text.
        body["output_config"] = {"format": {"type": "json_schema", "schema": bound(options.response_schema)}}
    if profile.cache_markers:
        for blocks in (body["tools"], body["system"]):
            if blocks:
                blocks[-1]["cache_control"] = CACHE_HERE
    return {key: value for key, value in (body | target.options.get("body", {})).items() if value is not None}


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


def _tools(request: ChatRequest, names: WireNames) -> list[dict[str, Any]]:
    """The definitions, sorted. A history with calls needs some: without any, names stand for what was called."""
    tools = request.tools or [
        ToolSchema(name=name, description="", parameters={})
        for name in {call.name for message in request.messages for call in message.calls}
    ]
    return [_tool(tool, names) for tool in sorted(tools, key=lambda tool: tool.name)]


def _tool(tool: ToolSchema, names: WireNames) -> dict[str, Any]:
    schema = bound(tool.parameters) if tool.strict else _without_unions(tool.parameters)
    return {
        "name": names.to_wire(tool.name),
        **({"description": tool.description} if tool.description else {}),
        "input_schema": {"type": "object"} | schema,
        **({"strict": True} if tool.strict else {}),
    }


def _without_unions(schema: dict[str, Any]) -> dict[str, Any]:
    """``schema`` with the unions at its top said in words."""
    plain = {key: value for key, value in schema.items() if key not in _UNIONS}
    return noted(plain, {key: value for key, value in schema.items() if key in _UNIONS})


def _tool_choice(request: ChatRequest, profile: ModelProfile) -> dict[str, Any] | None:
    """Said only where it is not what the API does anyway."""
    if not request.tools:
        return {"type": "none"} if any(message.calls for message in request.messages) else None
    choice = request.options.tool_choice
    one_by_one = not profile.parallel_tools and choice is not ToolChoice.NONE
    if choice is ToolChoice.AUTO and not one_by_one:
        return None
    return {"type": _CHOICES[choice]} | ({"disable_parallel_tool_use": True} if one_by_one else {})
