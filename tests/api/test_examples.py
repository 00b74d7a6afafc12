"""The examples of the HTTP reference work as they stand."""

import re
import shlex
from pathlib import Path
from string import Template
from typing import Any

import httpx
import pytest

from tests.api.conftest import SITE

REFERENCE = Path(__file__).resolve().parent.parent.parent / "docs" / "reference" / "http.md"
EXAMPLES = re.findall(r"^curl .+$", REFERENCE.read_text("utf-8"), re.MULTILINE)


def request_of(example: str, variables: dict[str, str]) -> dict[str, Any]:
    """What curl would send: its options as those of an HTTP client. An option that is not used there fails here."""
    words = iter(shlex.split(Template(example).substitute(variables))[1:])
    found: dict[str, Any] = {"method": "GET", "headers": {}}
    for word in words:
        match word:
            case "-X":
                found["method"] = next(words)
            case "-H":
                name, value = next(words).split(": ")
                found["headers"][name] = value
            case "--json":
                found["content"] = next(words)
                found["headers"]["Content-Type"] = "application/json"
                found["method"] = "POST" if found["method"] == "GET" else found["method"]
            case "-N":
                pass
            case _:
                assert word.startswith(SITE), word
                found["url"] = word
    return found


@pytest.fixture
async def variables(ada: Any, token: str, program: httpx.AsyncClient) -> dict[str, str]:
    """What the examples leave open; Ada may see the records, too."""
    await type(ada).objects.aupdate(is_superuser=True)
    run = (await program.post("/api/agent/runs", json={"input": "hello"})).raise_for_status().json()
    await program.get(f"/api/agent/runs/{run['run_id']}/events")
    thread = (await program.get(f"/api/conversations/{run['conversation_id']}/messages")).json()
    ids = {"RUN_ID": run["run_id"], "CONVERSATION_ID": run["conversation_id"]}
    return {"SITE": SITE, "TOKEN": token, "MESSAGE_ID": thread["results"][-1]["message_id"], **ids}


async def test_every_example_is_answered_with_what_it_asks_for(
    program: httpx.AsyncClient, variables: dict[str, str]
) -> None:
    program.headers.pop("Authorization")
    answers = {example: await program.request(**request_of(example, variables)) for example in EXAMPLES}
    assert len(answers) > 12
    assert {example: answer.text for example, answer in answers.items() if not answer.is_success} == {}
