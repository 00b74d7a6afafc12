"""Usage as Anthropic reports it: cumulative numbers, whose parts of the input exclude each other.

Source: https://docs.anthropic.com/en/api/messages#response-usage
"""

from typing import Any, TypeGuard

from agentcore.messages import Usage

_ASKED = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
_SAID = "output_tokens"
_THOUGHT = "thinking_tokens"


class UsageMerger:
    """Feed it every ``usage`` object of an answer: the last value of a field wins."""

    def __init__(self) -> None:
        self._fields: dict[str, int] = {}

    def add(self, usage: Any) -> None:
        """Merge one in. They only grow, so a zero takes nothing back: some servers fill in what they left out."""
        if not isinstance(usage, dict):
            return
        details = usage.get("output_tokens_details")
        said = usage | (details if isinstance(details, dict) else {})
        found = {name: int(said[name]) for name in (*_ASKED, _SAID, _THOUGHT) if _is_count(said.get(name))}
        self._fields |= {name: count for name, count in found.items() if count}

    def total(self) -> Usage | None:
        """What was reported, in inclusive buckets; None when it was nothing, or only zeros."""
        fresh, cached, written = (self._fields.get(name, 0) for name in _ASKED)
        said = self._fields.get(_SAID, 0)
        if not any((fresh, cached, written, said)):
            return None
        return Usage(
            input_tokens=fresh + cached + written,
            output_tokens=said,
            cached_input_tokens=cached,
            cache_write_tokens=written,
            reasoning_tokens=self._fields.get(_THOUGHT, 0),
        )


def _is_count(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 2**53
