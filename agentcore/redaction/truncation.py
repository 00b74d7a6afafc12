"""Truncation: what was redacted, cut to a size that a row and a page can hold."""

from typing import Any

TOO_DEEP = "[too deep]"
MAX_DEPTH = 40


def truncate(value: Any, *, max_string: int, max_items: int, _depth: int = 0) -> Any:
    """A redacted JSON value with long strings and long containers cut; what was cut is counted in its place."""
    if isinstance(value, str):
        return value if len(value) <= max_string else f"{value[:max_string]}… ({len(value)} characters)"
    if not isinstance(value, dict | list | tuple):
        return value
    if _depth >= MAX_DEPTH:
        return TOO_DEEP
    more = len(value) - max_items
    if isinstance(value, dict):
        items = list(value.items())[:max_items]
        cut: dict[str, Any] = {
            truncate(str(key), max_string=max_string, max_items=max_items): truncate(
                item, max_string=max_string, max_items=max_items, _depth=_depth + 1
            )
            for key, item in items
        }
        return cut | ({"…": f"({more} more)"} if more > 0 else {})
    kept = [truncate(item, max_string=max_string, max_items=max_items, _depth=_depth + 1) for item in value[:max_items]]
    return kept + ([f"… ({more} more)"] if more > 0 else [])
