"""Bodies, spoilt: by the byte, by the event, and inside the JSON that they hold."""

import json
import re
from collections.abc import Callable
from random import Random
from typing import Any

# A line of a stream that holds JSON, with what stands before it.
_JSON_LINE = re.compile(rb"^(?:data: ?)?([\[{].*)$", re.MULTILINE)
_TOKENS = (
    *(b"\n", b"\r", b"\r\n", b"\n\n", b" ", b"\t", b"\x00", b"\xff", b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"\x1f\x8b"),
    *(b"data:", b"data: ", b"data: {}\n\n", b"event: error\n", b"event: \xff\n", b": x\n", b"id: 1\n", b"retry: 9\n"),
    *(b"[DONE]", b"data: [DONE]\n\n", b"ping", b"{", b"}", b"[", b"]", b'"', b"\\", b"\\u0000", b"\\ud800", b"\\n"),
    *(b"null", b"true", b"NaN", b"-1", b"1e999", b"<html>", b"x" * 5000, b"[" * 5000, b'{"a":' * 3000, b"9" * 5000),
)
# What ``json.dumps`` cannot write is written in the place of these.
_RAW = {
    "@deep list@": b"[" * 3000 + b"]" * 3000,
    "@deep object@": b'{"a":' * 3000 + b"1" + b"}" * 3000,
    "@rather deep list@": b"[" * 300 + b"]" * 300,
    "@rather deep object@": b'{"text":' * 700 + b"1" + b"}" * 700,
    "@long number@": b"9" * 5000,
    "@large number@": b"9" * 400,
    "@infinite@": b"1e999",
    "@nan@": b"NaN",
    "@text@": b'"' + b"k" * 20000 + b'"',
}
_ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2**53, 2**63, 1.5, "", " ", "0", "x", "error", "stop", "\x00", "\ud800", "a\udc00"),
    *([], {}, [None], [[]], {"": None}, ["x"], {"error": "x"}, {"message": "x"}, {"text": "x"}, {"id": 1}),
    *_RAW,
)


# A change may make a body two hundred times as large; one that is as large as this is left as it is.
LARGE_BYTES = 100_000


def mutated(rng: Random, body: bytes) -> bytes:
    """``body`` after a few changes of any kind."""
    for _change in range(rng.choice((1, 1, 1, 2, 3, 8))):
        body = rng.choice(_CHANGES)(rng, body)
        if len(body) > LARGE_BYTES:
            break
    return body


def _span(rng: Random, body: bytes) -> tuple[int, int]:
    start = rng.randint(0, len(body))
    return start, min(len(body), start + rng.choice((1, 2, 8, 64, 512)))


def _flip(rng: Random, body: bytes) -> bytes:
    if not body:
        return body
    at = rng.randrange(len(body))
    return body[:at] + bytes([body[at] ^ 1 << rng.randrange(8)]) + body[at + 1 :]


def _delete(rng: Random, body: bytes) -> bytes:
    start, end = _span(rng, body)
    return body[:start] + body[end:]


def _insert(rng: Random, body: bytes) -> bytes:
    at = rng.randint(0, len(body))
    return body[:at] + rng.choice(_TOKENS) * rng.choice((1, 1, 1, 2, 50)) + body[at:]


def _repeat(rng: Random, body: bytes) -> bytes:
    start, end = _span(rng, body)
    return body[:end] + body[start:end] * rng.choice((1, 2, 30)) + body[end:]


def _cut_off(rng: Random, body: bytes) -> bytes:
    return body[: rng.randint(0, len(body))]


def _shuffle_events(rng: Random, body: bytes) -> bytes:
    """An event again, in another place, or not at all."""
    end = b"\n\n" if b"\n\n" in body else b"\n"
    events = body.split(end)
    at = rng.randrange(len(events))
    event = events[at] if rng.random() < 0.5 else events.pop(at)
    for _time in range(rng.choice((0, 1, 1, 2, 40))):
        events.insert(rng.randint(0, len(events)), event)
    return end.join(events)


def _spoil_json(rng: Random, body: bytes) -> bytes:
    """Another value, key or shape somewhere in the JSON of a line, or of the whole body."""
    places = [match.span(1) for match in _JSON_LINE.finditer(body)] + [(0, len(body))]
    start, end = rng.choice(places)
    try:
        written = json.dumps(_spoilt(rng, json.loads(body[start:end]))).encode()
    except (ValueError, RecursionError):
        return body
    for name, raw in _RAW.items():
        written = written.replace(json.dumps(name).encode(), raw)
    return body[:start] + written + body[end:]


def _spoilt(rng: Random, value: Any) -> Any:
    """``value`` with one change at a random depth. What was drawn alone is worked out: all of it would never end."""
    if isinstance(value, dict) and value and rng.random() < 0.85:
        return _spoilt_object(rng, value)
    if isinstance(value, list) and value and rng.random() < 0.85:
        return _spoilt_list(rng, value)
    return rng.choice((rng.choice(_ODD), rng.choice(_ODD), [value], {"text": value}, str(value), json.dumps(value)))


def _spoilt_list(rng: Random, value: list[Any]) -> list[Any]:
    at, change = rng.randrange(len(value)), rng.random()
    if change < 0.5:
        return [*value[:at], _spoilt(rng, value[at]), *value[at + 1 :]]
    return value[:at] + value[at + 1 :] if change < 0.75 else value * rng.choice((2, 200))


def _spoilt_object(rng: Random, value: dict[str, Any]) -> dict[str, Any]:
    key, other, change = rng.choice([*value]), rng.choice([*value]), rng.random()
    if change < 0.45:
        return value | {key: _spoilt(rng, value[key])}
    rest = {name: item for name, item in value.items() if name != key}
    new = rng.choice(("", "error", "message", "type", f"{key}s"))
    return rng.choice((value | {key: rng.choice(_ODD)}, value | {key: value[other]}, rest, rest | {new: value[key]}))


_CHANGES: tuple[Callable[[Random, bytes], bytes], ...] = (
    *(_flip, _delete, _insert, _repeat, _cut_off, _shuffle_events),
    *[_spoil_json] * 6,
)
