"""``make scoreboard``: inputs that broke clients in public, put through ours and through the libraries of others.

A case counts for a client that speaks its wire. It is passed with the same text, thinking, calls and usage as
expected, and where an error is expected with any error: judged alike for all.
"""

import asyncio
import base64
import json
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.clients.yielded import Yielded
from bench.subject import ROOT, SubjectFailed, line_of, pipe, process
from config.env import ensure_env_file
from scripts.peers import PYTHON, missing
from tests.fake_upstream import DONE, Answer, FakeUpstream, chunk

CASES = Path(ROOT) / "tests" / "data" / "cases.jsonl"
# What these cases are about comes after the wire: a text that a database does not store.
NOT_OF_THE_WIRE = {"A56"}
OPENAI, ALL = ("openai_chat", "openai_responses"), ("openai_chat", "openai_responses", "anthropic", "ollama")
CLIENTS = {
    "steward": ALL,
    "openai_sdk": OPENAI,
    "anthropic_sdk": ("anthropic",),
    "litellm_sdk": ALL,
    "pydantic_ai_sdk": (*OPENAI, "anthropic"),
    "agent_framework_sdk": OPENAI,
}


@dataclass(frozen=True)
class Case:
    """``expected`` are the events of the case in order."""

    id: str
    api: str
    answer: Answer
    expected: list[dict[str, Any]]

    @property
    def stream(self) -> bool:
        return "json" not in self.answer.headers.get("content-type", "") or self.api == "ollama"

    def is_passed(self, yielded: Yielded) -> bool:
        kinds = [event["t"] for event in self.expected]
        if "error" in kinds or "error" in yielded:
            return "error" in kinds and "error" in yielded
        return (
            yielded.get("text", "") == self._joined("text")
            and ("reasoning" not in kinds or yielded.get("reasoning") == self._joined("reasoning"))
            and self._are_expected(yielded.get("calls", []))
            and all(yielded.get("usage") == [usage["in"], usage["out"]] for usage in self._of("usage"))
        )

    def _of(self, kind: str) -> list[dict[str, Any]]:
        return [event for event in self.expected if event["t"] == kind and "estimated" not in event]

    def _joined(self, kind: str) -> str:
        return "".join(event["text"] for event in self._of(kind))

    def _are_expected(self, calls: list[tuple[str, str, Any]]) -> bool:
        wanted = [(event["name"], event["args"]) for event in self._of("tool_call")]
        ids = {call_id for call_id, _name, _arguments in calls if call_id}
        return [(name, arguments) for _id, name, arguments in calls] == wanted and len(ids) == len(calls)


def cases() -> Iterator[Case]:
    for line in CASES.read_text("utf-8").split("\n"):
        case = json.loads(line or "{}")
        given = case.get("input", {})
        if given.get("kind") == "http_response" and case["id"] not in NOT_OF_THE_WIRE:
            writes = [base64.b64decode(write) for write in given["writes_b64"]]
            answer = Answer(status=given["status"], headers=given["headers"], writes=writes, end=given["end"])
            yield Case(case["id"], given["api"], answer, case["expected"]["events"])
        elif case.get("area") == "http/errors":
            yield from _refusals(case["id"], given["rows"])
    yield _long_line()


def _refusals(case_id: str, rows: list[tuple[int, str, str]]) -> Iterator[Case]:
    for number, (status, body, _kind) in enumerate(rows, 1):
        answer = Answer(status=status, headers={"content-type": "application/json"}, writes=[body.encode()])
        yield Case(f"{case_id}.{number}", "openai_chat", answer, [{"t": "error"}])


def _long_line() -> Case:
    text = "k" * 120_000
    head = {"id": "chatcmpl-fx1", "object": "chat.completion.chunk", "created": 1760000000, "model": "fx-1"}
    writes = [chunk({"content": text}, **head), chunk(finish="stop", **head), DONE]
    return Case("A14", "openai_chat", Answer(writes=writes), [{"t": "text", "text": text}])


async def _yielded(child: Any, case: Case) -> Yielded:
    async with FakeUpstream([case.answer], strict=False) as upstream:
        address = f"http://127.0.0.1:{upstream.port}"
        question = {"api": case.api, "address": address, "stream": case.stream}
        pipe(child.stdin).write(json.dumps(question) + "\n")
        pipe(child.stdin).flush()
        found: Yielded = json.loads(await asyncio.to_thread(line_of, child))
        return found


async def scores(names: list[str]) -> dict[str, dict[str, bool]]:
    """Whether each client passes each case that it speaks the wire of."""
    found: dict[str, dict[str, bool]] = {name: {} for name in names}
    with ExitStack() as stack:
        for name in names:
            python = sys.executable if name == "steward" else str(PYTHON)
            child = stack.enter_context(process(python, f"bench.clients.{name}"))
            for case in cases():
                if case.api in CLIENTS[name]:
                    yielded = await _yielded(child, case)
                    found[name][case.id] = case.is_passed(yielded)
                    if not found[name][case.id]:
                        print(f"  {name} {case.id}: {str(yielded)[:200]}", file=sys.stderr)
    return found


def _table(found: dict[str, dict[str, bool]]) -> Iterator[str]:
    yield f"{'client':<24} {'passed':>8}  failed"
    for name, passed in found.items():
        failed = " ".join(case for case, is_passed in passed.items() if not is_passed)
        yield f"{name:<24} {f'{sum(passed.values())} of {len(passed)}':>8}  {failed}"


def main() -> int:
    ensure_env_file()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    reason = missing()
    if reason:
        print(f"Other libraries are left out: {reason}", file=sys.stderr)
    found = asyncio.run(scores(["steward"] if reason else list(CLIENTS)))
    print("\n".join(_table(found)))
    return int(not all(found["steward"].values()))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except SubjectFailed as error:
        sys.exit(f"A client's process failed: {error}")
