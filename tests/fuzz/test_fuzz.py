"""A minute of fuzzing in CI, and a few seconds anywhere else: bounded by count and by time, and the same each time."""

import gzip
import logging
import os
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from agentcore.providers.answer import AnswerReader
from agentcore.providers.clients import DIALECTS
from tests.fuzz import claims
from tests.fuzz.corpus import Seed, corpus
from tests.fuzz.running import Finding, fuzz, split_everywhere
from tests.reading import decoded

pytestmark = pytest.mark.fuzz
SECONDS = 30 if os.environ.get("CI") else 4
SEED = 20261130


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    logging.disable()
    yield
    logging.disable(logging.NOTSET)


def test_bodies_read_the_same_cut_at_every_position() -> None:
    assert split_everywhere(corpus(), seconds=SECONDS) > 0


def test_whatever_comes_is_an_answer_or_a_typed_error() -> None:
    assert fuzz(SEED, seconds=SECONDS, rounds=20_000) > 0


@pytest.mark.parametrize("seed", corpus(), ids=lambda seed: seed.name)
def test_streamed_and_not_streamed_are_the_same(seed: Seed) -> None:
    claims.not_streamed(seed, Random(SEED))


@pytest.mark.parametrize("api", DIALECTS)
def test_every_wire_is_in_the_corpus_and_reads_well(api: str) -> None:
    seed = next(seed for seed in corpus() if seed.name == f"wire/{api}")

    assert [type(event).__name__ for event in decoded([seed.body], api)][-3:] == ["ToolCall", "Finish", "Usage"]


def test_a_fault_is_found_and_told_how_to_have_it_again(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = AnswerReader.feed

    def faulty(self: AnswerReader, chunk: bytes) -> bool:
        return whole(self, chunk.decode("utf-8", "ignore").encode())

    monkeypatch.setattr(AnswerReader, "feed", faulty)

    with pytest.raises(Finding, match="--splits A04"):
        split_everywhere([seed for seed in corpus() if seed.name == "A04"], seconds=60)


@pytest.mark.parametrize("body", [b"x" * 10_000_000, b""], ids=["long", "empty"])
def test_compressed_bodies_come_in_pieces(body: bytes) -> None:
    packed = gzip.compress(body)
    pieces: list[Any] = [*claims.Unpacker().feed(packed)]

    assert b"".join(pieces) == body
    assert max(map(len, pieces), default=0) <= 64 * 1024
