"""What must hold of every body, each claim as a function that raises ``Broken``."""

import asyncio
import gzip
import json
import re
import time
import tracemalloc
import zlib
from collections.abc import Callable, Generator
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from random import Random
from typing import Any

from agentcore.chat import Finish, ReasoningDelta, TextDelta, ToolCall
from agentcore.errors import ProviderError
from agentcore.messages import Usage
from agentcore.providers.clients import DIALECTS
from agentcore.providers.compression import Unpacker
from agentcore.providers.failures import failure_of
from tests.fake_upstream import Answer
from tests.fuzz.corpus import Seed
from tests.fuzz.mutations import mutated
from tests.fuzz.whole import whole_of
from tests.reading import MADE, decoded, normalised, outcome

# A decoder that needs more processor time hangs, and one that needs more memory than this has no bound.
LIMIT_S = 2.0
MEMORY_FACTOR, MEMORY_BYTES = 60, 16 * 1024 * 1024
LONG_BYTES = 4 * 1024 * 1024
_NOW = datetime(2026, 1, 1, tzinfo=UTC)
_LINE = re.compile(rb"(?<=\n)")


class Broken(Exception):
    """A claim that does not hold of ``body``, read as ``api``."""

    def __init__(self, what: str, api: str, body: bytes) -> None:
        super().__init__(what)
        self.api, self.body = api, body


def read(pieces: list[bytes], api: str) -> list[Any]:
    """What a dialect makes of it: events or one of our errors, in time, and events that can be stored."""
    body = b"".join(pieces)
    began = time.process_time()
    try:
        found = decoded(pieces, api)
        _check_events(found)
    except Exception as error:
        raise Broken(f"{type(error).__name__}: {str(error)[:200]}", api, body) from error
    if (took := time.process_time() - began) > LIMIT_S:
        raise Broken(f"It took {took:.1f} s for {len(body)} bytes.", api, body)
    return found


def _check_events(found: list[Any]) -> None:
    *events, usage = found
    finished = [event for event in events if isinstance(event, Finish)]
    failed = bool(events) and isinstance(events[-1], tuple)
    assert finished == ([] if failed else events[-1:]), "An answer has one end, and it is the last."
    calls = [event for event in events if isinstance(event, ToolCall)]
    ids = [call.call_id for call in calls if call.call_id != "*"]
    assert all(ids), "A call has an id."
    assert len(ids) == len({*ids}), "Two calls have one id."
    assert not (failed and calls), "A call of an answer that is not whole."
    for call in calls:
        assert isinstance(call.arguments, dict)
        json.dumps(call.arguments, allow_nan=False)
        assert isinstance(call.name, str)
        assert call.name
    for event in events:
        assert not isinstance(event, TextDelta | ReasoningDelta) or isinstance(event.text, str)
        assert not isinstance(event, ReasoningDelta) or isinstance(event.opaque, str | None)
    assert usage is None or all(type(value) is int and value >= 0 for value in _counts(usage))


def _counts(usage: Usage) -> list[int]:
    return [value for name, value in usage.as_json().items() if name != "estimated"]


def cuts(rng: Random, body: bytes) -> list[bytes]:
    """``body`` in a few pieces, or in many."""
    number = min(len(body), rng.choice((1, 2, 3, 10, 100, 1000)))
    edges = [0, *sorted(rng.randint(0, len(body)) for _edge in range(number)), len(body)]
    return [body[start:end] for start, end in pairwise(edges)]


def same(seed: Seed, pieces: list[bytes], wanted: list[Any], what: str) -> None:
    if read(pieces, seed.api) != wanted:
        raise Broken(f"{what}: it reads otherwise.", seed.api, b"".join(pieces))


def splits(seed: Seed) -> Generator[None, None, None]:
    """Each single position; yields after each, so that it can be stopped."""
    body, wanted = seed.body, read([seed.body], seed.api)
    for at in range(1, len(body)):
        same(seed, [body[:at], body[at:]], wanted, f"cut at {at}")
        yield


def multi_splits(seed: Seed, rng: Random) -> None:
    same(seed, cuts(rng, seed.body), read([seed.body], seed.api), "cut in many places")


def framing(seed: Seed, rng: Random) -> None:
    """Other ends of lines, and comments or blank lines after any line: nobody may notice."""
    body, wanted = seed.body, read([seed.body], seed.api)
    if b"\r" not in body:
        for end in (b"\r\n", b"\r"):
            same(seed, cuts(rng, body.replace(b"\n", end)), wanted, f"lines that end with {end!r}")
    is_events = body.lstrip()[:1] not in b"{["
    quiet = (b": ping\n", b":\n", b"retry: 3\n", b": \xff\xe2\x80\xa8\n") if is_events else (b"\n", b" \n", b"\r\n")
    lines = _LINE.split(body)
    noisy = b"".join(
        line + (rng.choice(quiet) if line.endswith(b"\n") and rng.random() < 0.5 else b"") for line in lines
    )
    same(seed, cuts(rng, noisy), wanted, "comments between lines")
    same(seed, cuts(rng, b"\xef\xbb\xbf" + body), wanted, "a byte order mark")


def packed_again(body: bytes) -> bytes:
    """Compressed, without the time of the day: the same bytes for the same seed."""
    return gzip.compress(body, mtime=0)


def compressed(seed: Seed, rng: Random) -> None:
    """Compressed as a whole, by the piece, or with another format: the same bytes come out."""
    body = seed.body
    packed = rng.choice((packed_again(body), zlib.compress(body), b"".join(map(packed_again, cuts(rng, body)[:40]))))
    whole = gzip.decompress(packed) if packed[:2] == b"\x1f\x8b" else body
    if _unpacked(cuts(rng, packed + rng.choice((b"", b"\x00", b"\x00" * 9, b"\x1f", b"end")))) != whole:
        raise Broken("Unpacked otherwise than it was packed.", seed.api, packed)


def spoilt_compressed(seed: Seed, rng: Random) -> None:
    """Spoilt when it was packed: as much of it as there is, or a typed error, however it is cut."""
    packed = mutated(rng, packed_again(seed.body))
    if _unpacked(cuts(rng, packed)) != _unpacked([packed]):
        raise Broken("Packed bytes that are spoilt unpack otherwise when they are cut.", seed.api, packed)


def _unpacked(pieces: list[bytes]) -> bytes:
    unpacker, found = Unpacker(), bytearray()
    try:
        for chunk in pieces:
            for piece in unpacker.feed(chunk):
                found += piece
    except ProviderError as error:
        return error.code.encode()
    return bytes(found)


def over_a_socket(seed: Seed, rng: Random) -> None:
    """Through the real client, compressed or not: what is said is what the decoder reads."""
    if seed.status != 200:
        return
    body = packed_again(seed.body)
    packed = Answer(headers={"content-encoding": "gzip"}, writes=[piece for piece in cuts(rng, body) if piece])
    plain = Answer(writes=[piece for piece in cuts(rng, seed.body) if piece])
    heard = [_heard(*asyncio.run(outcome(answer, seed.api))) for answer in (plain, packed)]
    if heard[0] != heard[1]:
        raise Broken("gzip makes a difference.", seed.api, seed.body)


def _heard(events: list[Any], error: ProviderError | None) -> list[dict[str, Any]]:
    return [event | {"id": MADE.sub("*", event.get("id", ""))} for event in normalised(events, error)]


def not_streamed(seed: Seed, rng: Random) -> None:
    """The same answer as one JSON value says the same."""
    said = read([seed.body], seed.api)
    if not seed.is_stream or not isinstance(said[-2], Finish):
        return
    body = whole_of(seed.api, said)
    wanted, found = (_summary(events) for events in (said, read(cuts(rng, body), seed.api)))
    if found != wanted:
        raise Broken(f"Streamed {wanted}, whole {found}.", seed.api, body)


def _summary(found: list[Any]) -> dict[str, Any]:
    *events, usage = found
    return {
        "text": "".join(event.text for event in events if isinstance(event, TextDelta)),
        "reasoning": "".join(event.text for event in events if isinstance(event, ReasoningDelta)),
        "calls": [event for event in events if isinstance(event, ToolCall)],
        "finish": [event for event in events if isinstance(event, Finish)],
        "usage": usage,
    }


def spoilt(seed: Seed, rng: Random) -> None:
    """Spoilt, and read by any dialect: events or a typed error, the same however it is cut."""
    body = mutated(rng, seed.body)
    given = replace(seed, api=rng.choice((seed.api, seed.api, seed.api, *DIALECTS)), body=body)
    same(given, cuts(rng, body), read([body], given.api), "spoilt, cut in many places")


def long(seed: Seed, rng: Random) -> None:
    """One event of it ten thousand times, perhaps spoilt before: as fast for each as it is for one."""
    body = mutated(rng, seed.body) if rng.random() < 0.5 else seed.body
    end = b"\n\n" if b"\n\n" in body else b"\n"
    events = body.split(end)
    at = rng.randrange(len(events))
    times = min(10_000, LONG_BYTES // (len(events[at]) + 1))
    read([end.join([*events[:at], *[events[at]] * times, *events[at + 1 :]])], seed.api)


def spoilt_in_bounds(seed: Seed, rng: Random) -> None:
    """Spoilt, and no more memory than its size allows."""
    body = mutated(rng, seed.body)
    tracemalloc.start()
    try:
        decoded([body], seed.api)
        _now, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    if peak > MEMORY_BYTES + MEMORY_FACTOR * len(body):
        raise Broken(f"{peak} bytes of memory for {len(body)}.", seed.api, body)


def refusals(seed: Seed, rng: Random) -> None:
    """A refusal with any body and any headers is one of our errors, with little of its words."""
    body, status = mutated(rng, seed.body), rng.choice((seed.status, 100, 204, 302, 400, 401, 404, 413, 429, 500, 529))
    waits = ("1", "-1", "1e9", "soon", "9" * 400, "Wed, 21 Oct 2015 07:28:00 GMT", "Wed, 21 Oct 99999 07:28:00", "\x00")
    headers = {"retry-after": rng.choice(waits), "retry-after-ms": rng.choice(waits)}
    try:
        error = failure_of(status, body, headers, now=_NOW)
        models = DIALECTS[seed.api].models
        assert len(error.message) < 700
        assert error.retry_after_s is None or error.retry_after_s >= 0
        models(_payload(body))
    except ProviderError:
        return
    except Exception as wrong:
        raise Broken(f"{type(wrong).__name__}: {wrong}", seed.api, body) from wrong


def _payload(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


Claim = Callable[[Seed, Random], None]
# The cheap ones that find most are drawn more often.
CLAIMS: tuple[Claim, ...] = (
    *[spoilt] * 12,
    *[multi_splits] * 3,
    *[framing] * 2,
    compressed,
    spoilt_compressed,
    not_streamed,
    refusals,
    long,
    spoilt_in_bounds,
    over_a_socket,
)
