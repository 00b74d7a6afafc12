"""Upstream failures, mapped to the tree of errors by status and body.

What an upstream says of itself is quoted, at most 500 characters of its own message and never its raw body; the HTTP
client redacts it before anyone sees it.
"""

import json
import re
from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any

from django.utils.translation import gettext as _

from agentcore.errors import (
    CapabilityMissing,
    ContentFiltered,
    ContextLengthExceeded,
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

MAX_QUOTE = 500
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
    504: ProviderTimeout,
}

# What servers call it, in ``code``, ``type`` or their own words; the first that fits wins.
_WORDS: list[tuple[type[ProviderError], re.Pattern[str]]] = [
    (
        ContextLengthExceeded,
        re.compile(
            r"context_length|context[ _]length|context[ _]size|context[ _]window|maximum context|context limit"
            r"|prompt is too long|exceed_context|too many (?:input )?tokens|input is too long|max_prompt_tokens",
            re.IGNORECASE,
        ),
    ),
    (
        ContentFiltered,
        re.compile(r"content[ _]?filter|content[ _](?:policy|management)|responsibleai|data_inspection", re.IGNORECASE),
    ),
    (
        ProviderQuotaExceeded,
        re.compile(
            r"insufficient[ _](?:quota|balance|credit)|exceeded your current quota|billing|credit balance"
            r"|quota[ _]exhausted|out of credits",
            re.IGNORECASE,
        ),
    ),
    (
        CapabilityMissing,
        re.compile(
            r"\b(?:not|that) support (?:tools?\b|function call|image|vision|thinking)|missing data required for image",
            re.IGNORECASE,
        ),
    ),
    (
        ModelNotFound,
        re.compile(
            r"model_not_found|model not found|invalid model name|unknown model|no such model"
            r"|model\b.{0,80}\b(?:does not exist|not found|is not supported)",
            re.IGNORECASE,
        ),
    ),
]
# Only of these may the words say more than the status.
_SPEAKING = frozenset({400, 402, 403, 404, 413, 422, 429, 500, 503})

_STREAM_WORDS: list[tuple[type[ProviderError], re.Pattern[str]]] = [
    *_WORDS,
    (ProviderRateLimited, re.compile(r"rate[ _-]?limit|too many requests", re.IGNORECASE)),
    (ProviderAuthFailed, re.compile(r"authentication|invalid[ _]api[ _]key|permission_error", re.IGNORECASE)),
    (ModelNotFound, re.compile(r"not_found_error", re.IGNORECASE)),
    (ProviderBadRequest, re.compile(r"invalid_request|bad_request|request_too_large", re.IGNORECASE)),
    (ProviderTimeout, re.compile(r"timeout|timed out", re.IGNORECASE)),
]


def failure_of(status: int, body: bytes, headers: Mapping[str, str], *, now: datetime) -> ProviderError:
    """The error of an answer whose status is not 200. ``body`` may be cut; it need not be JSON."""
    if 300 <= status < 400:
        return ProviderUrlForbidden(
            _("The provider sent us on to another address, and redirects are not followed."), upstream_status=status
        )
    payload = _parsed(body)
    said = _message(payload)
    kind = _kind_of(status, f"{_labels(payload)} {said}")
    return _made(kind, said, upstream_status=status, retry_after_s=retry_after_s(headers, now=now))


def failure_reported(payload: Any, *, named: bool = False) -> ProviderError | None:
    """The error that a part of a 200 answer is, or None. ``named`` says that its event was called an error."""
    error = _error_in(payload) or (payload if named and payload else None)
    if error is None:
        return None
    said = _message(error)
    status = _status_in(error)
    if status is not None and 400 <= status < 600:
        return _made(_kind_of(status, f"{_labels(error)} {said}"), said, upstream_status=status)
    words = f"{_labels(error)} {said}"
    kind = next((kind for kind, pattern in _STREAM_WORDS if pattern.search(words)), ProviderUnavailable)
    return _made(kind, said)


def retry_after_s(headers: Mapping[str, str], *, now: datetime) -> float | None:
    """Seconds until the upstream wants to be asked again: from a number or a date; None when it does not say."""
    if (milliseconds := _number(headers.get("retry-after-ms", ""))) is not None:
        return milliseconds / 1000
    value = headers.get("retry-after", "").strip()
    if (seconds := _number(value)) is not None:
        return seconds
    try:
        at = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max((at - now).total_seconds(), 0) if at.tzinfo else None


def _number(value: str) -> float | None:
    return float(value) if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", value.strip()) else None


def _kind_of(status: int, words: str) -> type[ProviderError]:
    if status in _SPEAKING:
        for kind, pattern in _WORDS:
            if pattern.search(words):
                return kind
    if status in _STATUS:
        return _STATUS[status]
    if status >= 500:
        return ProviderUnavailable
    return ProviderBadRequest if status >= 400 else ProviderBadResponse


def _made(
    kind: type[ProviderError], said: str, *, upstream_status: int | None = None, retry_after_s: float | None = None
) -> ProviderError:
    message = _("%(what)s The provider says: %(said)s") % {"what": kind.text, "said": said} if said else None
    return kind(message, upstream_status=upstream_status, retry_after_s=retry_after_s)


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


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
        return first.get("error") or ({"message": ""} if first.get("finish_reason") == "error" else None)
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
        return next((said for key in keys if (said := _message(error.get(key), depth + 1))), "")
    return ""


def _labels(error: Any, depth: int = 0) -> str:
    """Every ``code`` and ``type`` of an error, as one text."""
    if isinstance(error, list):
        error = error[0] if error else None
    if not isinstance(error, dict) or depth >= MAX_DEPTH:
        return ""
    own = [value for key in ("code", "type", "status") if isinstance(value := error.get(key), str)]
    return " ".join([*own, _labels(error.get("error"), depth + 1)])


def _status_in(error: Any) -> int | None:
    if not isinstance(error, dict):
        return None
    for key in ("code", "status", "status_code"):
        value = error.get(key)
        if isinstance(value, int | str) and re.fullmatch(r"[45]\d\d", str(value)):
            return int(value)
    return _status_in(error.get("error"))
