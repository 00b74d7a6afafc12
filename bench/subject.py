"""A subject of a benchmark as a process that is asked in turn, and the upstream that it reads from."""

import json
import os
import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NamedTuple, Self

from bench.answers import ANSWERS
from scripts.peers import PYTHON

ROOT = Path(__file__).resolve().parent.parent
GIVE_UP_S = 60


class SubjectFailed(Exception):
    """It ended, does not answer, or did not read the whole text."""


@dataclass(frozen=True)
class Subject:
    """``module`` is in ``bench.subjects``; a peer runs in the environment of the peers."""

    name: str
    module: str
    wire: str
    is_peer: bool = False

    def __str__(self) -> str:
        return f"{self.name} ({self.wire})"


class Reading(NamedTuple):
    subject: Subject
    deltas: int


class Running:
    """Says what reading an answer took its process."""

    def __init__(self, subject: Subject, process: "subprocess.Popen[str]") -> None:
        self._subject, self._process = subject, process

    @classmethod
    @contextmanager
    def start(cls, subject: Subject) -> Iterator[Self]:
        python = str(PYTHON) if subject.is_peer else sys.executable
        with process(python, f"bench.subjects.{subject.module}", subject.wire) as child:
            yield cls(subject, child)

    def cpu_s(self, upstream: str, deltas: int) -> float:
        """
        Raises:
            SubjectFailed: no whole answer was read.
        """
        texts, _events = ANSWERS[self._subject.wire](deltas)
        try:
            pipe(self._process.stdin).write(f"{upstream}/{deltas}\n")
            pipe(self._process.stdin).flush()
        except BrokenPipeError:
            raise SubjectFailed("it ended.") from None
        answer = json.loads(line_of(self._process))
        if answer["characters"] != sum(map(len, texts)):
            raise SubjectFailed(f"it read {answer['characters']} characters.")
        return float(answer["cpu_s"])


@contextmanager
def process(python: str, module: str, *arguments: str) -> Iterator["subprocess.Popen[str]"]:
    """A process that ends when its input does."""
    # A machine's proxy has no part in this.
    environment = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    child = subprocess.Popen(
        [python, "-m", module, *arguments],
        cwd=ROOT,
        env=environment,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield child
    finally:
        child.kill()
        child.communicate()


@contextmanager
def upstream() -> Iterator[str]:
    """The address of the fake upstream."""
    with process(sys.executable, "bench.upstream") as child:
        yield f"http://127.0.0.1:{line_of(child).strip()}"


def line_of(child: "subprocess.Popen[str]") -> str:
    """
    Raises:
        SubjectFailed: it ended, or took too long.
    """
    ready, _, _ = select.select([child.stdout], [], [], GIVE_UP_S)
    line = pipe(child.stdout).readline() if ready else ""
    if not line:
        raise SubjectFailed("it did not answer.")
    return line


def pipe(end: IO[str] | None) -> IO[str]:
    assert end is not None
    return end
