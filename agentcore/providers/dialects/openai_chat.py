"""OpenAI chat completions, and what many servers call compatible with it.

Source: https://platform.openai.com/docs/api-reference/chat
"""

from typing import Any

from agentcore.chat import ChatOptions, ChatRequest, ToolChoice, ToolSchema
from agentcore.providers.dialects import Dialect
from agentcore.providers.dialects.names import WireNames
from agentcore.providers.dialects.openai_chat_decoder import ChatDecoder
from agentcore.providers.dialects.openai_messages import encoded_messages
from agentcore.providers.dialects.openai_models import models
from agentcore.providers.dialects.openai_stream import bearer
from agentcore.providers.profile import ModelProfile, Target, ToolMode


def encode(request: ChatRequest, target: Target) -> dict[str, Any]:
    """The request body; the option ``body`` is laid over it.

    The prefix is stable: tools are sorted, and the definitions stay when none may be called, since the history may
    hold calls of them.
    """
    names, options, profile = WireNames.of(request), request.options, target.profile
    body: dict[str, Any] = {
        "model": request.model,
        "messages": encoded_messages(request.messages, names, profile),
        "stream": True,
        "stream_options": {"include_usage": True} if profile.stream_usage else None,
        "response_format": _response_format(options, profile),
        profile.max_tokens_field: options.max_output_tokens,
        "temperature": options.temperature,
    }
    if request.tools:
        body["tools"] = [_tool(tool, names) for tool in sorted(request.tools, key=lambda tool: tool.name)]
        body["tool_choice"] = None if options.tool_choice is ToolChoice.AUTO else options.tool_choice.value
        body["parallel_tool_calls"] = None if profile.parallel_tools else False
    return {key: value for key, value in (body | target.options.get("body", {})).items() if value is not None}


def _tool(tool: ToolSchema, names: WireNames) -> dict[str, Any]:
    function = {"name": names.to_wire(tool.name), "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": function | ({"strict": True} if tool.strict else {})}


def _response_format(options: ChatOptions, profile: ModelProfile) -> dict[str, Any] | None:
    """Bound to the schema where the model can be, else at least to JSON."""
    if options.response_schema is None:
        return None
    if not profile.json_schema and profile.tool_mode is not ToolMode.JSON_SCHEMA:
        return {"type": "json_object"}
    bound = {"name": "answer", "schema": options.response_schema, "strict": options.response_strict}
    return {"type": "json_schema", "json_schema": bound}


OPENAI_CHAT = Dialect(
    path="/chat/completions",
    models_path="/models",
    default_base_url="https://api.openai.com/v1",
    headers=bearer,
    encode=encode,
    decoder=ChatDecoder,
    models=models,
    base_endings=("/chat/completions",),
)
