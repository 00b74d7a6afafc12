"""Inputs that nobody here wrote, by the dialect that reads them: the shared cases, and answers of other servers."""

import base64
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.fake_upstream import Answer

DATA = Path(__file__).parent / "data"
TRANSCRIPTS = DATA / "transcripts"
CASES: list[dict[str, Any]] = [
    json.loads(line) for line in (DATA / "cases.jsonl").read_text(encoding="utf-8").split("\n") if line
]
APIS = {
    b"POST /v1/chat/completions": "openai_chat",
    b"POST /v1/responses": "openai_responses",
    b"POST /v1/messages": "anthropic",
    b"POST /api/chat": "ollama",
}
_HEAD = re.compile(rb"^HTTP/1\.1 (\d+)[^\n]*\n(.*?)\n\r?\n", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Recorded:
    """An answer and who can read it."""

    name: str
    api: str
    answer: Answer

    @property
    def body(self) -> bytes:
        return b"".join(self.answer.writes)


def case(name: str) -> dict[str, Any]:
    return next(case for case in CASES if case["id"] == name)


def cases_of(kind: str) -> list[dict[str, Any]]:
    return [case for case in CASES if case["input"]["kind"] == kind]


def answer_of(given: dict[str, Any]) -> Answer:
    """An answer that a case describes, as the fake upstream gives it."""
    if "writes_b64" not in given:
        headers = {"content-type": "application/json"} | given["headers"]
        return Answer(status=given["status"], headers=headers, writes=[given["body"].encode()])
    writes = [base64.b64decode(write) for write in given["writes_b64"]]
    return Answer(status=given["status"], headers=given["headers"], writes=writes, end=given["end"])


def wire_cases() -> list[Recorded]:
    return [Recorded(case["id"], case["input"]["api"], answer_of(case["input"])) for case in cases_of("http_response")]


def transcripts() -> list[Recorded]:
    """Those that are answers to a call of a model."""
    found = []
    for file in sorted(TRANSCRIPTS.rglob("*.txt")):
        asked = b" ".join(file.read_bytes().split(b"\n", 1)[0].split()[:2])
        if asked in APIS:
            name = f"{file.parent.name}/{file.stem}"
            found.append(Recorded(name, APIS[asked], transcript(name)))
    return found


def transcript(name: str) -> Answer:
    raw = (TRANSCRIPTS / f"{name}.txt").read_bytes()
    head = _HEAD.search(raw)
    assert head is not None
    pairs = (line.split(b":", 1) for line in head[2].split(b"\n") if b":" in line)
    headers = {key.decode().strip().lower(): value.decode().strip() for key, value in pairs}
    kept = {key: headers[key] for key in ("content-type", "retry-after") if key in headers}
    return Answer(status=int(head[1]), headers=kept, writes=[raw[head.end() :]])
