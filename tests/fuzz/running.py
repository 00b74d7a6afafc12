"""Runs the claims over the corpus, for a while or a number of times; what breaks one can be had again."""

import signal
import time
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from random import Random
from types import FrameType

from tests.fuzz.claims import CLAIMS, Broken, splits
from tests.fuzz.corpus import Seed, corpus

# Time of the wall, for what never comes back.
HANGS_S = 60
SHOWN = 4000


class Hang(BaseException):
    """Nothing may catch it on its way."""


class Finding(AssertionError):
    """How to have it again."""


def fuzz(seed: int, *, seconds: float, first: int = 0, rounds: int | None = None) -> int:
    """Draw claim after claim; the number of rounds.

    Raises:
        Finding: a claim does not hold.
    """
    seeds, ends_at = corpus(), time.monotonic() + seconds
    for number in count(first):
        if time.monotonic() >= ends_at or number - first == rounds:
            return number - first
        rng = Random(f"{seed}:{number}")
        claim, given = rng.choice(CLAIMS), rng.choice(seeds)
        with _told(f"--seed {seed} --round {number}  ({claim.__name__} of {given.name})"), _bounded():
            claim(given, rng)
    return 0


def split_everywhere(seeds: list[Seed], *, seconds: float) -> int:
    """Every single position of every body, turn by turn; the number of positions tried.

    Raises:
        Finding: a position makes a difference.
    """
    ends_at, tried = time.monotonic() + seconds, 0
    running = {given.name: splits(given) for given in seeds}
    while running and time.monotonic() < ends_at:
        for name, positions in [*running.items()]:
            if time.monotonic() >= ends_at:
                break
            with _told(f"--splits {name}"), _bounded():
                tried += sum(1 for _position in _some(positions))
            if positions.gi_frame is None:
                del running[name]
    return tried


def _some(positions: Iterator[None], number: int = 50) -> Iterator[None]:
    for _position in range(number):
        if next(positions, _some) is _some:
            return
        yield


@contextmanager
def _told(how: str) -> Iterator[None]:
    try:
        yield
    except Broken as broken:
        body = b64encode(broken.body[:SHOWN]).decode()
        raise Finding(
            f"{broken}\n  again: python -m tests.fuzz {how}\n  as {broken.api}, {len(broken.body)} bytes: {body}"
        ) from broken
    except Hang:
        raise Finding(f"It hangs.\n  again: python -m tests.fuzz {how}") from None


@contextmanager
def _bounded() -> Iterator[None]:
    def hang(_signal: int, _frame: FrameType | None) -> None:
        raise Hang

    before = signal.signal(signal.SIGALRM, hang)
    signal.alarm(HANGS_S)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
