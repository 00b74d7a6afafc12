"""Blocks of thinking as Anthropic wants them back: exactly as they came, signature and all, or not at all.

Source: https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking#preserving-thinking-blocks
"""

import json
from typing import Any, TypeGuard

from agentcore.messages import ReasoningContent

# What a block holds besides its type. The text may be empty: some models keep it to themselves, and sign it.
_FIELDS = {"thinking": ("thinking", "signature"), "redacted_thinking": ("data",)}
# The one that proves where it came from.
_SEALS = {"thinking": "signature", "redacted_thinking": "data"}


def token_of(block: dict[str, Any], *, calls_before: int) -> str | None:
    """The opaque token that holds ``block`` and its place among the calls; None for one that was never sealed."""
    if not _is_sealed(block):
        return None
    kept = {name: block[name] for name in ("type", *_FIELDS[block["type"]])}
    return json.dumps({"calls_before": calls_before, "block": kept}, separators=(",", ":"))


def block_of(content: ReasoningContent) -> tuple[int, dict[str, Any]] | None:
    """How many calls came before it, and the block; None for what is no token of this dialect."""
    try:
        token = json.loads(content.opaque or "")
    except (ValueError, RecursionError):
        return None
    block = token.get("block") if isinstance(token, dict) else None
    place = token.get("calls_before") if isinstance(token, dict) else None
    return (place, block) if isinstance(place, int) and _is_sealed(block) else None


def _is_sealed(block: Any) -> TypeGuard[dict[str, Any]]:
    kind = block.get("type") if isinstance(block, dict) else None
    if not isinstance(kind, str) or kind not in _FIELDS:
        return False
    return bool(block[_SEALS[kind]]) if all(isinstance(block.get(name), str) for name in _FIELDS[kind]) else False
