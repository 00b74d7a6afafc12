"""What a client made of an answer, in words that are the same for all."""

import json
from collections.abc import Mapping
from typing import Any, TypedDict


class Yielded(TypedDict, total=False):
    """``calls`` are (id, name, arguments); ``usage`` is (input tokens, output tokens)."""

    text: str
    reasoning: str
    calls: list[tuple[str, str, Any]]
    usage: tuple[int, int]
    error: str


def arguments_of(value: Any) -> Any:
    """Arguments that a client hands over as text, read as JSON: none are an empty object."""
    if not isinstance(value, str):
        return dict(value) if isinstance(value, Mapping) else value or {}
    try:
        return json.loads(value or "{}") or {}
    except ValueError:
        return value
