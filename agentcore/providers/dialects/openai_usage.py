"""Usage as OpenAI-like servers report it: last value wins, field by field, never a sum over chunks."""

from typing import Any

from agentcore.messages import Usage


class UsageMerger:
    """Feed it every ``usage`` object of an answer."""

    def __init__(self) -> None:
        self._fields: dict[str, int] = {}

    def add(self, usage: Any) -> None:
        if not isinstance(usage, dict):
            return
        read = usage.get("prompt_tokens_details") or usage.get("input_tokens_details")
        written = usage.get("completion_tokens_details") or usage.get("output_tokens_details")
        self._set("input", usage, "prompt_tokens", "input_tokens")
        self._set("output", usage, "completion_tokens", "output_tokens")
        self._set("total", usage, "total_tokens")
        self._set("cached", usage, "prompt_cache_hit_tokens", "cache_read_input_tokens")
        self._set("cached", read, "cached_tokens")
        self._set("written", usage, "cache_creation_input_tokens")
        self._set("written", read, "cache_write_tokens")
        self._set("reasoning", written, "reasoning_tokens")

    def _set(self, field: str, source: Any, *names: str) -> None:
        for name in names:
            value = source.get(name) if isinstance(source, dict) else None
            if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 2**53:
                self._fields[field] = int(value)

    def total(self) -> Usage | None:
        """What was reported; None when it was nothing, or only zeros."""
        found = self._fields
        total = found.get("total", 0)
        asked = found.get("input", max(total - found.get("output", total), 0))
        said = found.get("output", max(total - asked, 0))
        if not asked and not said:
            return None
        return Usage(
            input_tokens=asked,
            output_tokens=said,
            cached_input_tokens=found.get("cached", 0),
            cache_write_tokens=found.get("written", 0),
            reasoning_tokens=found.get("reasoning", 0),
        )
