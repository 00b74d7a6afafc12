"""The cases that were given (``tests/data/cases.jsonl``), read once, found by their id."""

import base64
import json
from pathlib import Path
from typing import Any

from tests.fake_upstream import Answer

CASES: dict[str, dict[str, Any]] = {
    case["id"]: case
    for line in (Path(__file__).parent / "data" / "cases.jsonl").read_text("utf-8").split("\n")
    if line
    for case in [json.loads(line)]
}


def answer_of(given: dict[str, Any]) -> Answer:
    """The answer that an ``http_response`` of a case describes."""
    if "writes_b64" not in given:
        headers = {"content-type": "application/json"} | given["headers"]
        return Answer(status=given["status"], headers=headers, writes=[given["body"].encode()])
    writes = [base64.b64decode(write) for write in given["writes_b64"]]
    return Answer(status=given["status"], headers=given["headers"], writes=writes, end=given["end"])
