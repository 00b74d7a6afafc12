"""Findings: what a look at one part of an installation says."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Finding:
    """One line: what is right, or what is wrong and how to mend it. ``cure`` is empty where it is right.

    ``is_doubtful``: not wrong, and still worth a look.
    """

    text: str
    cure: str = ""
    is_right: bool = True
    is_doubtful: bool = False


Look: TypeAlias = Callable[[], Iterable[Finding]]


def right(text: str) -> Finding:
    return Finding(text)


def doubtful(text: str, cure: str) -> Finding:
    return Finding(text, cure, is_doubtful=True)


def wrong(text: str, cure: str) -> Finding:
    return Finding(text, cure, is_right=False)
