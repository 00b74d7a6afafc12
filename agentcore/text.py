"""Text that both databases, JSON and the browser can hold."""

import math
import re

# PostgreSQL refuses NUL in text and jsonb; a lone surrogate cannot be encoded as UTF-8 at all.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
# Two halves of one character that JSON escapes brought in separately.
_HALVES = re.compile("[\ud800-\udbff][\udc00-\udfff]")
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_LARGEST = 10**4000


def clean_text(text: str) -> str:
    """Join split surrogate pairs, replace NUL and lone ones: screen, event and row agree on every database."""
    if _UNSTORABLE.search(text) is None:
        return text
    return _UNSTORABLE.sub(REPLACEMENT, _HALVES.sub(_joined, text))


def _joined(halves: re.Match[str]) -> str:
    return halves[0].encode("utf-16", "surrogatepass").decode("utf-16")


def is_deeper(value: object, levels: int) -> bool:
    """Whether a JSON value is nested more deeply than that; it is not looked at any further down."""
    match value:
        case dict():
            children = list(value.values())
        case list():
            children = value
        case _:
            children = []
    return levels == 0 or any(is_deeper(child, levels - 1) for child in children)


def clean_json(value: object) -> object:
    """``clean_text`` for every string of a JSON value, keys included; numbers that JSON cannot hold are null.

    Raises:
        TypeError: it holds something that is no JSON value.
        RecursionError: it is nested too deeply.
    """
    match value:
        case int():
            # Python writes no integer of more digits; a bool is an int, too, and small.
            return value if -_LARGEST < value < _LARGEST else None
        case float():
            return value if math.isfinite(value) else None
        case str():
            return clean_text(value)
        case dict():
            return {clean_text(str(key)): clean_json(item) for key, item in value.items()}
        case list() | tuple():
            return [clean_json(item) for item in value]
        case None:
            return None
        case _:
            raise TypeError(f"JSON has no {type(value).__name__}.")
