"""Upstream failures, mapped to the tree of errors by status and body.

What an upstream says of itself is quoted, at most 500 characters of its own message and never its raw body; the HTTP
client redacts it before anyone sees it.
"""

import re
from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any

from django.utils.translation import gettext as _

from agentcore.errors import (
    ModelNotFound,
    ProviderAuthFailed,
    ProviderBadRequest,
    ProviderBadResponse,
    ProviderError,
    ProviderQuotaExceeded,
    ProviderRateLimited,
    ProviderTimeout,
    ProviderUnavailable,
    ProviderUrlForbidden,
)
from agentcore.providers.failure_words import FAILED_FINISHES, LABELS, STREAM_WORDS, WAIT, WORDS, Kinds
from agentcore.providers.wire_json import read_json

MAX_QUOTE = 500
MAX_LABEL = 100
MAX_DEPTH = 6

_STATUS: dict[int, type[ProviderError]] = {
    401: ProviderAuthFailed,
    402: ProviderQuotaExceeded,
    403: ProviderAuthFailed,
    404: ModelNotFound,
    408: ProviderTimeout,
    409: ProviderUnavailable,
    425: ProviderUnavailable,
    429: ProviderRateLimited,
    498: ProviderUnavailable,
    499: ProviderUnavailable,
    504: ProviderTimeout,
    522: ProviderTimeout,
    524: ProviderTimeout,
}

_DATA = re.compile(r"^data:(.*)$", re.MULTILINE)
# Only of these may the words say more than the status.
_SPEAKING = frozenset({400, 402, 403, 404, 412, 413, 422, 429, 500, 502, 503})


def failure_of(status: int, body: bytes, headers: Mapping[str, str], *, now: datetime) -> ProviderError:
    """The error of an answer whose status is not 200. ``body`` may be cut; it need not be JSON."""
    if 300 <= status < 400:
        return ProviderUrlForbidden(
            _("The provider sent us on to another address, and redirects are not followed."), upstream_status=status
        )
    payload = _parsed(body)
    wait_s = retry_after_s(headers, now=now)
    if payload is None:
        return _kind_of(status, [], _plain(body))(upstream_status=status, retry_after_s=wait_s)
    return _made(payload, status=status, retry_after_s=_named_wait_s(payload) if wait_s is None else wait_s)


def failure_reported(payload: Any, *, named: bool = False) -> ProviderError | None:
    """The error that a part of a 200 answer is, or None. ``named`` says that its event was called an error."""
    error = _error_in(payload) or (payload if named and payload else None)
    if error is None:
        return None
    return _made(error, status=_status_in(error), retry_after_s=_named_wait_s(error))


def is_failed_finish(reason: Any) -> bool:
    """Whether a finish reason says that the answer broke off."""
    return isinstance(reason, str) and reason.lower() in FAILED_FINISHES


def retry_after_s(headers: Mapping[str, str], *, now: datetime) -> float | None:
    """Seconds until the upstream wants to be asked again: from a number or a date; None when it does not say."""
    if (milliseconds := _number(headers.get("retry-after-ms", ""))) is not None:
        return milliseconds / 1000
    value = headers.get("retry-after", "").strip()
    if (seconds := _number(value)) is not None:
        return seconds
    try:
        at = parsedate_to_datetime(value)
    except (ValueError, OverflowError):
        return None
    return max((at - now).total_seconds(), 0) if at.tzinfo else None


def _number(value: str) -> float | None:
    return float(value) if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", value.strip()) else None


def _named_wait_s(error: Any) -> float | None:
    """Seconds, where the error's words or its details tell them."""
    found = WAIT.search(f"{_message(error)} retry in {_delay(error)}")
    if found is None or not any(found.groups()):
        return None
    hours, minutes, seconds, milliseconds = (float(number or 0) for number in found.groups())
    return hours * 3600 + minutes * 60 + seconds + milliseconds / 1000


def _delay(error: Any, depth: int = 0) -> str:
    """The ``retryDelay`` of Google's errors, ``35s`` for one."""
    if depth >= MAX_DEPTH:
        return ""
    if isinstance(error, list):
        return next((delay for item in error[:MAX_DEPTH] if (delay := _delay(item, depth + 1))), "")
    if not isinstance(error, dict):
        return ""
    own = error.get("retryDelay")
    return own if isinstance(own, str) else _delay(error.get("error") or error.get("details"), depth + 1)


def _made(error: Any, *, status: int | None, retry_after_s: float | None) -> ProviderError:
    said = _message(error)
    kind = _kind_of(status, _labels(error), said)
    if kind is ProviderRateLimited and retry_after_s is None and _first(WORDS, said) is ProviderQuotaExceeded:
        # Some call both the same; where nothing says how long to wait, their words decide.
        kind = ProviderQuotaExceeded
    message = _("%(what)s The provider says: %(said)s") % {"what": kind.text, "said": _closed(said)} if said else None
    return kind(message, upstream_status=status, retry_after_s=retry_after_s)


def _closed(said: str) -> str:
    """A sentence: more may be said after it."""
    return said if said.endswith((".", "!", "?", "。", "！", "？", "…")) else f"{said}."


def _kind_of(status: int | None, labels: list[str], said: str) -> type[ProviderError]:
    for kind, pattern in LABELS:
        if any(pattern.fullmatch(label) for label in labels):
            return kind
    words = f"{' '.join(labels)} {said}"
    if status is None:
        return _first(STREAM_WORDS, words) or ProviderUnavailable
    if status in _SPEAKING and (spoken := _first(WORDS, words)) is not None:
        return spoken
    if status in _STATUS:
        return _STATUS[status]
    if status >= 500:
        return ProviderUnavailable
    return ProviderBadRequest if status >= 400 else ProviderBadResponse


def _first(kinds: Kinds, words: str) -> type[ProviderError] | None:
    return next((kind for kind, pattern in kinds if pattern.search(words)), None)


def _parsed(body: bytes) -> Any:
    """The JSON of a body, also where it comes as the one event of a stream."""
    text = body.decode("utf-8", "replace")
    if (event := _DATA.search(text)) is not None:
        text = event[1]
    try:
        return read_json(text.encode())
    except ValueError:
        return None


def _plain(body: bytes) -> str:
    """The words of a body that is not JSON, to go by and not to quote; a web page has none."""
    text = body[: MAX_QUOTE * 4].decode("utf-8", "replace").strip()
    return "" if text.startswith("<") else text[:MAX_QUOTE]


def _error_in(payload: Any) -> Any:
    """The error object in a chunk: nested, in a choice, in a list, or flat; None when there is none."""
    if isinstance(payload, list):
        return next((error for item in payload[:MAX_DEPTH] if (error := _error_in(item))), None)
    if not isinstance(payload, dict):
        return None
    if payload.get("error"):
        return payload["error"]
    choices = payload.get("choices")
    if isinstance(choices, list) and choices:
        first = choices[0] if isinstance(choices[0], dict) else {}
        return first.get("error") or ({"message": ""} if is_failed_finish(first.get("finish_reason")) else None)
    return payload if _is_flat_error(payload) else None


def _is_flat_error(payload: dict[str, Any]) -> bool:
    if payload.get("type") == "error" or payload.get("object") == "error":
        return True
    speaks = any(isinstance(payload.get(key), str) and payload[key] for key in ("message", "detail", "error_message"))
    return speaks and not ({"choices", "usage"} & payload.keys())


def _message(error: Any, depth: int = 0) -> str:
    """The upstream's own words, wherever they are, at most ``MAX_QUOTE`` characters."""
    if isinstance(error, str):
        return " ".join(error.split())[:MAX_QUOTE]
    if depth >= MAX_DEPTH:
        return ""
    if isinstance(error, list):
        return next((said for item in error[:MAX_DEPTH] if (said := _message(item, depth + 1))), "")
    if isinstance(error, dict):
        keys = ("error", "message", "detail", "msg", "error_message", "errors")
        said = next((said for key in keys if (said := _message(error.get(key), depth + 1))), "")
        return f"{said} {_relayed(error)}".strip()[:MAX_QUOTE]
    return ""


def _relayed(error: dict[str, Any]) -> str:
    """The words of the server behind a proxy: OpenRouter's own only say that there are some."""
    metadata = error.get("metadata")
    raw = metadata.get("raw") if isinstance(metadata, dict) else None
    return (_message(_parsed(raw.encode("utf-8", "replace"))) or _message(raw)) if isinstance(raw, str) else ""


def _labels(error: Any, depth: int = 0) -> list[str]:
    """Every ``code``, ``type``, ``status`` and ``reason`` of an error, its own before those within it."""
    if depth >= MAX_DEPTH:
        return []
    if isinstance(error, list):
        return [label for item in error[:MAX_DEPTH] for label in _labels(item, depth + 1)]
    if not isinstance(error, dict):
        return []
    own = [error.get(key) for key in ("code", "type", "status", "reason")]
    found = [str(value)[:MAX_LABEL] for value in own if isinstance(value, str | int) and not isinstance(value, bool)]
    inner = (label for key in ("error", "innererror", "details") for label in _labels(error.get(key), depth + 1))
    return [*found, *inner]


def _status_in(error: Any) -> int | None:
    if not isinstance(error, dict):
        return None
    for key in ("code", "status", "status_code"):
        value = error.get(key)
        if isinstance(value, int | str) and re.fullmatch(r"[45]\d\d", str(value)):
            return int(value)
    return _status_in(error.get("error"))
