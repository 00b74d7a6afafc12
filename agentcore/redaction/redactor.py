"""The redactor: values without their secrets.

A secret is found by the key it stands under, by its shape, or because it is one of the stored credentials. The
result is a JSON value of the same shape; redacting it again changes nothing. Redact first, truncate after: half a
secret has no shape.
"""

import json
import math
import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

from agentcore.redaction.shapes import REDACTED, SUSPICIOUS, is_secret_key, without_shapes
from agentcore.redaction.truncation import MAX_DEPTH, TOO_DEEP

# A shorter one would redact ordinary words.
MIN_SECRET = 8
# Redacting may bring a new shape to light; more rounds than this were never needed.
_ROUNDS = 6
_LARGEST_INT = 2**1024


class Redactor:
    """Takes secrets out of values. ``secrets`` are matched exactly, also URL-quoted and JSON-escaped.

    Never raises, whatever it is given. Cheap for plain text: one search, no copy.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._spelled = _spelled(secrets)
        self._exact = _exact(self._spelled)

    def redact(self, value: Any) -> Any:
        """``value`` as JSON without secrets; what is no JSON value becomes its text."""
        return self._redact(value, ())

    def redact_text(self, text: str) -> str:
        """``text`` without secrets; text that is JSON stays JSON."""
        return self._text(text, ())

    @property
    def knows_secrets(self) -> bool:
        return bool(self._spelled)

    def without_credentials(self, text: str) -> str:
        """``text`` without the stored credentials, and nothing else of it changed: a person's own words."""
        return self._exact.sub(REDACTED, text) if self._exact else text

    def settled(self, text: str) -> int:
        """How much of ``text`` no next piece can change: up to where a credential may begin, and never inside one."""
        at = self._begun_at(text)
        for found in self._exact.finditer(text) if self._exact else ():
            if found.start() < at < found.end():
                at = found.end() + self._begun_at(text[found.end() :])
        return at

    def _begun_at(self, text: str) -> int:
        found = len(text)
        for form in self._spelled:
            at = text.find(form[0], max(0, len(text) - len(form) + 1))
            while 0 <= at < found and not form.startswith(text[at:]):
                at = text.find(form[0], at + 1)
            if 0 <= at < found:
                found = at
        return found

    def _redact(self, value: Any, path: tuple[int, ...]) -> Any:
        match value:
            case None | bool():
                return value
            case str():
                return self._text(value, path)
            case int() | float():
                return self._number(value)
            case Mapping() | list() | tuple() | set() | frozenset():
                return self._container(value, path)
            case bytes() | bytearray() | memoryview():
                return self._text(bytes(value).decode(errors="replace"), path)
            case _:
                return self._text(_printed(value), path)

    def _number(self, value: float) -> Any:
        if not math.isfinite(value) if isinstance(value, float) else abs(value) > _LARGEST_INT:
            return str(value) if isinstance(value, float) else TOO_DEEP
        return REDACTED if self._exact and self._exact.search(str(value)) else value

    def _container(self, value: Any, path: tuple[int, ...]) -> Any:
        if len(path) >= MAX_DEPTH or id(value) in path:
            return TOO_DEEP
        inside = (*path, id(value))
        if isinstance(value, Mapping):
            return self._mapping(value, inside)
        items = list(value)
        if len(items) == 2 and isinstance(items[0], str) and is_secret_key(items[0]):
            return [self._text(items[0], inside), _hidden(items[1])]
        return [self._redact(item, inside) for item in items]

    def _mapping(self, value: Mapping[Any, Any], path: tuple[int, ...]) -> dict[str, Any]:
        named = _names_a_secret(value)
        found = {}
        for key, item in list(value.items()):
            name = key if isinstance(key, str) else _printed(key)
            hides = is_secret_key(name) or (named and name.lower() == "value")
            found[self._text(name, path)] = _hidden(item) if hides else self._redact(item, path)
        return found

    def _text(self, text: str, path: tuple[int, ...]) -> str:
        if not SUSPICIOUS.search(text) and not (self._exact and self._exact.search(text)):
            return text
        for _ in range(_ROUNDS):
            redacted = self._text_once(text, path)
            if redacted == text:
                break
            text = redacted
        return text

    def _text_once(self, text: str, path: tuple[int, ...]) -> str:
        parsed = _parsed(text)
        if parsed is None or len(path) >= MAX_DEPTH:
            return self._plain(text)
        value, whole = parsed
        redacted = self._redact(value, (*path, 0))
        shown = text if whole and redacted == value else json.dumps(redacted, ensure_ascii=False)
        if self._exact and self._exact.search(shown):
            shown = json.dumps(REDACTED)
        return shown

    def _plain(self, text: str) -> str:
        # A stored value may be the very word that a shape is known by.
        return self.without_credentials(without_shapes(text))


def _spelled(secrets: Iterable[str]) -> list[str]:
    """Every spelling of the secrets, the longest first."""
    spelled = {form for secret in secrets for form in _spellings(secret.strip())}
    return sorted((form for form in spelled if form not in REDACTED), key=len, reverse=True)


def _exact(spelled: list[str]) -> re.Pattern[str] | None:
    return re.compile("|".join(map(re.escape, spelled))) if spelled else None


def _spellings(secret: str) -> set[str]:
    if len(secret) < MIN_SECRET:
        return set()
    quoted = quote(secret.encode(errors="replace"), safe="")
    return {secret, quoted, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]}


def _hidden(value: Any) -> Any:
    """What stands under a secret key. That there is none, or whether there is one, may be told."""
    return value if value is None or isinstance(value, bool) or value == "" else REDACTED


def _names_a_secret(value: Mapping[Any, Any]) -> bool:
    """Whether it is a header or a field written as ``{"name": "Authorization", "value": …}``."""
    return any(
        isinstance(key, str)
        and key.lower() in {"name", "key", "header"}
        and isinstance(item, str)
        and is_secret_key(item)
        for key, item in value.items()
    )


def _printed(value: Any) -> str:
    try:
        return f"{type(value).__name__}: {value}" if isinstance(value, BaseException) else str(value)
    except Exception:  # whatever a foreign __str__ raises: redaction never fails the record it protects
        return f"[{type(value).__name__}]"


def _parsed(text: str) -> tuple[Any, bool] | None:
    """The value of JSON text, and whether the text holds nothing that the value has lost; None for other text."""
    if not text.lstrip().startswith(("{", "[", '"')):
        return None
    repeated = False

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal repeated
        found = dict(items)
        repeated = repeated or len(found) != len(items)
        return found

    try:
        value = json.loads(text, object_pairs_hook=pairs)
    except (ValueError, RecursionError):
        return None
    return value, not repeated
