"""``make bench`` runs everything that measures, and ``make scoreboard`` judges all clients alike."""

from pathlib import Path
from typing import Any

import pytest

from agentcore.chat import ChatRequest, ModelEvent, TextDelta
from agentcore.messages import Message, Role
from agentcore.providers.answer import AnswerReader
from agentcore.providers.clients import DIALECTS
from bench.__main__ import BENCHMARKS
from bench.answers import ANSWERS, EVENT_BYTES
from bench.clients.yielded import Yielded
from bench.robustness import Case, cases
from scripts import peers
from tests.fake_upstream import Answer
from tests.site import ROOT

CALL = {"t": "tool_call", "id": "<generated>", "name": "f", "args": {"i": 1}}


def test_every_module_that_measures_is_run() -> None:
    files = sorted((ROOT / "bench").glob("*.py"))
    measuring = {f"bench.{file.stem}.ratios" for file in files if "\ndef ratios(" in file.read_text("utf-8")}
    assert measuring == set(BENCHMARKS)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_answer_that_is_measured_is_read_whole(dialect: str) -> None:
    texts, events = ANSWERS[dialect](50)
    read: list[ModelEvent] = []
    request = ChatRequest(model="m", messages=(Message.of(Role.USER, "hi"),))
    reader = AnswerReader(DIALECTS[dialect].decoder(request), read.append, DIALECTS[dialect].splitter())

    for event in events:
        reader.feed(event)
    reader.end()

    assert [event.text for event in read if isinstance(event, TextDelta)] == texts
    assert [len(event) for event in events].count(EVENT_BYTES) >= len(texts)


def test_every_case_of_a_wire_is_on_the_scoreboard() -> None:
    assert {case.api for case in cases()} == DIALECTS.keys()
    assert len({case.id for case in cases()}) == len(list(cases()))


@pytest.mark.parametrize(
    ("expected", "yielded", "is_passed"),
    [
        ([{"t": "text", "text": "a"}], Yielded(text="a"), True),
        ([{"t": "text", "text": "a"}], Yielded(text="ab"), False),
        ([{"t": "text", "text": "a"}], Yielded(error="any"), False),
        ([{"t": "text", "text": "a"}, {"t": "error"}], Yielded(error="any"), True),
        ([{"t": "text", "text": "a"}, {"t": "error"}], Yielded(text="a"), False),
        ([{"t": "reasoning", "text": "r"}], Yielded(reasoning=""), False),
        ([CALL], Yielded(calls=[("x", "f", {"i": 1})]), True),
        ([CALL], Yielded(calls=[("", "f", {"i": 1})]), False),
        ([CALL, CALL], Yielded(calls=[("x", "f", {"i": 1}), ("x", "f", {"i": 1})]), False),
        ([{"t": "usage", "in": 1, "out": 2}], {"usage": [1, 2]}, True),
        ([{"t": "usage", "in": 1, "out": 2}], {"usage": [2, 4]}, False),
        ([{"t": "usage", "estimated": True}], {}, True),
    ],
)
def test_a_client_is_judged_by_what_it_made_of_the_answer(
    expected: list[dict[str, Any]], yielded: Yielded, is_passed: bool
) -> None:
    assert Case("x", "openai_chat", Answer(), expected).is_passed(yielded) is is_passed


def test_libraries_of_another_list_of_versions_are_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(peers, "PYTHON", tmp_path)
    monkeypatch.setattr(peers, "STAMP", tmp_path / "stamp")
    assert "make peers" in str(peers.missing())

    (tmp_path / "stamp").write_text(peers._wanted(), "utf-8")
    assert peers.missing() is None

    monkeypatch.setattr(peers, "PACKAGES", ("another",))
    assert "make peers" in str(peers.missing())
