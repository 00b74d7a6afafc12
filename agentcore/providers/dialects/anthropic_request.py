"""A request as Anthropic's Messages API takes it.

Source: https://docs.anthropic.com/en/api/messages
"""

from typing import Any

from agentcore.chat import ChatRequest
from agentcore.providers.dialects.anthropic_messages import CACHE_HERE, encoded_messages, system_blocks
from agentcore.providers.dialects.anthropic_tools import answers_by_tool, bound, tool_choice, tool_definitions
from agentcore.providers.dialects.names import WireNames
from agentcore.providers.profile import Target

# The API wants a limit. This one every model of theirs can keep.
DEFAULT_MAX_TOKENS = 4096


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
        "tools": tool_definitions(request, names, profile) or None,
        "tool_choice": tool_choice(request, profile),
        "system": system_blocks(request.messages) or None,
        "messages": encoded_messages(request.messages, names, cache_markers=profile.cache_markers),
        "temperature": options.temperature,
    }
    # A tool that must be called, the older way, forbids thinking and costs a definition: only where there is no other.
    if options.response_schema is not None and not answers_by_tool(request, profile):
        body["output_config"] = {"format": {"type": "json_schema", "schema": bound(options.response_schema)}}
    if profile.cache_markers:
        for blocks in (body["tools"], body["system"]):
            if blocks:
                blocks[-1]["cache_control"] = CACHE_HERE
    return {key: value for key, value in (body | target.options.get("body", {})).items() if value is not None}
