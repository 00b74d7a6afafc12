"""OpenAI's Responses API, without its memory: every request holds the whole conversation.

Source: https://platform.openai.com/docs/api-reference/responses
"""

from typing import Any

from agentcore.chat import ChatRequest, ToolChoice, ToolSchema
from agentcore.providers.dialects import Dialect
from agentcore.providers.dialects.names import WireNames
from agentcore.providers.dialects.openai_input import encoded_items
from agentcore.providers.dialects.openai_models import models
from agentcore.providers.dialects.openai_responses_decoder import ResponsesDecoder
from agentcore.providers.dialects.openai_stream import bearer
from agentcore.providers.profile import Target


def encode(request: ChatRequest, target: Target) -> dict[str, Any]:
    """The request body; the option ``body`` is laid over it.

    The prefix is stable: tools are sorted, and the definitions stay when none may be called. Nothing is stored at the
    provider, so a model that thinks is asked for its thinking, encrypted, to have it back.
    """
    names, options = WireNames.of(request), request.options
    body: dict[str, Any] = {
        "model": request.model,
        "input": encoded_items(request.messages, names),
        "stream": True,
        "store": False,
        "include": ["reasoning.encrypted_content"] if target.profile.reasoning else None,
        "max_output_tokens": options.max_output_tokens,
        "temperature": options.temperature,
    }
    if request.tools:
        body["tools"] = [_tool(tool, names) for tool in sorted(request.tools, key=lambda tool: tool.name)]
        body["tool_choice"] = None if options.tool_choice is ToolChoice.AUTO else options.tool_choice.value
        body["parallel_tool_calls"] = None if target.profile.parallel_tools else False
    if options.response_schema is not None:
        bound = {"name": "answer", "schema": options.response_schema, "strict": options.response_strict}
        body["text"] = {"format": {"type": "json_schema"} | bound}
    return {key: value for key, value in (body | target.options.get("body", {})).items() if value is not None}


def _tool(tool: ToolSchema, names: WireNames) -> dict[str, Any]:
    """``strict`` is always said: left out, the API takes it for granted."""
    return {
        "type": "function",
        "name": names.to_wire(tool.name),
        "description": tool.description,
        "parameters": tool.parameters,
        "strict": tool.strict,
    }


OPENAI_RESPONSES = Dialect(
    path="/responses",
    models_path="/models",
    default_base_url="https://api.openai.com/v1",
    headers=bearer,
    encode=encode,
    decoder=ResponsesDecoder,
    models=models,
    base_endings=("/responses",),
)
