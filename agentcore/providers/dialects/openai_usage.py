"""Usage as OpenAI-like servers report it: last value wins, field by field, never a sum over chunks."""

from typing import Any, TypeGuard

from agentcore.messages import Usage


class UsageMerger:
    """Feed it every ``usage`` object of an answer."""

    def __init__(self) -> None:
        self._fields: dict[str, int] = {}

    def add(self, usage: Any) -> None:
        """Merge one in. One of only zeros is no report, and takes nothing back."""
        found = _numbers(usage) if isinstance(usage, dict) else {}
        if any(found.values()):
            self._fields |= found

    def total(self) -> Usage | None:
        """What was reported; None when it was nothing, or only zeros."""
        found = self._fields
        total = found.get("total", 0)
        asked = found.get("input", max(total - found.get("output", total), 0))
        said = found.get("output", max(total - asked, 0))
        if not asked and not said:
            return None
        thought = _uncounted(found, total - asked - said)
        return Usage(
            input_tokens=asked,
            output_tokens=said + thought,
            cached_input_tokens=found.get("cached", 0),
            cache_write_tokens=found.get("written", 0),
            reasoning_tokens=found.get("reasoning", 0) or thought,
        )


def _uncounted(found: dict[str, int], gap: int) -> int:
    """The thinking that the output does not count but the total does: xAI tells it apart, Gemini does not tell it."""
    reasoning = found.get("reasoning", 0)
    is_thinking = gap == reasoning if reasoning else not (found.get("cached") or found.get("written"))
    return max(gap, 0) if is_thinking else 0


def _numbers(usage: dict[str, Any]) -> dict[str, int]:
    read = usage.get("prompt_tokens_details") or usage.get("input_tokens_details")
    written = usage.get("completion_tokens_details") or usage.get("output_tokens_details")
    named: tuple[tuple[str, Any, str], ...] = (
        ("input", usage, "prompt_tokens"),
        ("input", usage, "input_tokens"),
        ("output", usage, "completion_tokens"),
        ("output", usage, "output_tokens"),
        ("total", usage, "total_tokens"),
        ("cached", usage, "prompt_cache_hit_tokens"),
        ("cached", usage, "cache_read_input_tokens"),
        ("cached", read, "cached_tokens"),
        ("written", usage, "cache_creation_input_tokens"),
        ("written", read, "cache_write_tokens"),
        ("reasoning", written, "reasoning_tokens"),
    )
    values = ((field, source.get(name)) for field, source, name in named if isinstance(source, dict))
    return {field: int(value) for field, value in values if _is_count(value)}


def _is_count(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 2**53
