"""A chat without agent on a real server: who leaves stops it, and a kill in the middle is recovered as any run is."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import httpx
import pytest

from tests.site import Site

pytestmark = pytest.mark.database

RUNS = "SELECT status, cancel_reason, output FROM agentcore_run WHERE purpose = 'chat_api'"
TURNS = "SELECT status, error_code FROM governance_turn WHERE purpose = 'chat_api' AND finished_at IS NOT NULL"
CALLS = "SELECT outcome FROM governance_modelcall"


@contextmanager
def chatting(client: httpx.Client, text: str) -> Iterator[Iterator[str]]:
    """The frames of an answer, while it is written."""
    body = {"provider_id": "mock", "model": "mock-1", "messages": [{"role": "user", "content": text}]}
    with client.stream("POST", "/api/chat", json=body) as answer:
        assert answer.status_code == 200
        yield (line for line in answer.iter_lines() if line.startswith("data: "))


def read(frames: Iterator[str], count: int) -> str:
    """The text of that many frames."""
    return "".join(json.loads(next(frames).removeprefix("data: "))["text"] for _frame in range(count))


def eventually(site: Site, sql: str, wanted: list[tuple[str, ...]]) -> None:
    """The rows become ``wanted`` within 10 seconds."""
    deadline = time.monotonic() + 10
    while site.rows(sql) != wanted and time.monotonic() < deadline:
        time.sleep(0.05)
    assert site.rows(sql) == wanted


def test_who_leaves_stops_the_run_and_it_is_on_record(make_site: Callable[..., Site]) -> None:
    site = make_site()
    with chatting(site.login("admin"), "/stream 1000 20") as frames:
        assert read(frames, 3).startswith("w1 ")
    eventually(site, RUNS, [("cancelled", "user", "")])
    eventually(site, TURNS, [("cancelled", "")])
    eventually(site, CALLS, [("cancelled",)])


def test_a_kill_in_the_middle_is_recovered_without_text(make_site: Callable[..., Site]) -> None:
    site = make_site()
    with chatting(site.login("admin"), "/stream 1000 20") as frames:
        read(frames, 3)
        site.kill()
    make_site()
    eventually(site, RUNS, [("failed", "", "")])
    eventually(site, TURNS, [("failed", "AGENT_PROCESS_RESTARTED")])
    eventually(site, CALLS, [("interrupted",)])


def test_a_plain_user_may_not(make_site: Callable[..., Site]) -> None:
    answer = make_site().login("demo").post("/api/chat", json={})
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "FORBIDDEN")
