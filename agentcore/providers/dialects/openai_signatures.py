"""Gemini's signature of its thinking: it comes with a call in a chat completion, and must come back with it.

Source: https://ai.google.dev/gemini-api/docs/thought-signatures
"""

import json
from typing import Any

from agentcore.messages import Message, ReasoningContent

# What a profile's ``reasoning_field`` says then.
SIGNATURE = "thought_signature"
# For calls that have none: another model made them. Google names it for this.
_UNSIGNED = {"google": {SIGNATURE: "skip_thought_signature_validator"}}


def signature_in(calls: Any) -> str:
    """The ``extra_content`` of the first call that is signed, as JSON; empty where none is."""
    for call in calls if isinstance(calls, list) else [calls]:
        extra = call.get("extra_content") if isinstance(call, dict) else None
        if isinstance(extra, dict) and any(isinstance(part, dict) and part.get(SIGNATURE) for part in extra.values()):
            return json.dumps(extra)
    return ""


def signed(turn: dict[str, Any], message: Message) -> dict[str, Any]:
    """``turn`` with the signature of its ``message`` on its first call, where Gemini wants it."""
    if not (calls := turn.get("tool_calls")):
        return turn
    tokens = (part.opaque for part in message.contents if isinstance(part, ReasoningContent) and part.opaque)
    extra = next((found for token in tokens if (found := _read(token))), _UNSIGNED)
    return turn | {"tool_calls": [calls[0] | {"extra_content": extra}, *calls[1:]]}


def _read(token: str) -> dict[str, Any] | None:
    """What was kept; a token of another wire format is none."""
    try:
        extra = json.loads(token)
    except (ValueError, RecursionError):
        return None
    return extra if isinstance(extra, dict) and signature_in({"extra_content": extra}) else None
