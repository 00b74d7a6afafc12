"""SIGKILL in the middle: what was shown is stored, the run ends once, and the conversation goes on."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest

from tests.site import Site

pytestmark = pytest.mark.database

RECORDS = {
    "turns": "SELECT status, error_code FROM governance_turn WHERE run_id = '{run}'",
    "calls": "SELECT outcome FROM governance_modelcall WHERE run_id = '{run}'",
    "tools": "SELECT status FROM agentcore_toolcall WHERE run_id = '{run}'",
    "stops": "SELECT run_id FROM governance_auditevent WHERE action = 'stop' AND run_id = '{run}'",
    "recorded": "SELECT id FROM agentcore_run WHERE recorded_at IS NOT NULL AND id = '{run}'",
}


def records(site: Site, run_id: str) -> dict[str, list[Any]]:
    """What is on record of an ended run, once its end is delivered; recovery has 10 seconds."""
    deadline = time.monotonic() + 10
    while not (found := _records_now(site, UUID(run_id)))["recorded"] and time.monotonic() < deadline:
        time.sleep(0.05)
    return found


def _records_now(site: Site, run_id: UUID) -> dict[str, list[Any]]:
    return {name: site.rows(sql.format(run=run_id.hex)) for name, sql in RECORDS.items()}


def read_until(
    client: httpx.Client, run_id: str, enough: Callable[[list[dict[str, Any]]], bool]
) -> list[dict[str, Any]]:
    """The events that a client saw until it had enough."""
    seen: list[dict[str, Any]] = []
    with client.stream("GET", f"/api/agent/runs/{run_id}/events") as stream:
        for line in stream.iter_lines():
            if line.startswith("data: "):
                seen.append(json.loads(line.removeprefix("data: ")))
                if enough(seen):
                    return seen
    raise AssertionError(f"The stream ended early: {seen[-1:]}")


def ended(client: httpx.Client, run_id: str) -> dict[str, Any]:
    """The run, once it has ended; recovery has 10 seconds."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        run = client.get(f"/api/agent/runs/{run_id}").json()
        if run["status"] not in {"queued", "running"}:
            return run
        time.sleep(0.1)
    raise AssertionError(f"The run is still {run['status']}.")


def events_of(client: httpx.Client, run_id: str) -> list[dict[str, Any]]:
    return client.get(f"/api/agent/runs/{run_id}/trace", params={"limit": 1000}).json()["events"]


@pytest.fixture
def killable(make_site: Callable[..., Site], tmp_path: Path) -> Callable[[], Site]:
    return lambda: make_site(SLOW_TOOL_LOG=str(tmp_path / "slow.log"))


def test_kill_in_mid_answer_loses_nothing(killable: Callable[[], Site]) -> None:
    site = killable()
    client = site.login()
    run = client.post("/api/agent/runs", json={"input": "/stream 500 20"}).json()
    seen = read_until(client, run["run_id"], lambda events: len(events) >= 8)

    site.kill()
    after = killable()
    client = after.login()
    closed = ended(client, run["run_id"])

    events = events_of(client, run["run_id"])
    assert events[: len(seen)] == seen
    assert [event["sequence"] for event in events] == list(range(len(events)))
    assert [event["type"] for event in events[-3:]] == ["MessageCompleted", "UsageReported", "RunFailed"]
    assert (closed["status"], closed["error"]["code"]) == ("failed", "AGENT_PROCESS_RESTARTED")
    assert closed["output"] == "".join(event["data"]["text"] for event in events if event["type"] == "TextDelta")
    found = records(after, run["run_id"])
    assert (found["turns"], found["calls"]) == ([("failed", "AGENT_PROCESS_RESTARTED")], [("interrupted",)])
    assert (found["tools"], len(found["stops"]), len(found["recorded"])) == ([], 1, 1)
    going_on = {"input": "go on", "conversation_id": run["conversation_id"]}
    next_run = client.post("/api/agent/runs", json=going_on).raise_for_status().json()
    assert ended(client, next_run["run_id"])["output"] == "You said: go on"


def test_kill_in_mid_tool_settles_the_call_as_unknown_and_runs_it_once(
    killable: Callable[[], Site], tmp_path: Path
) -> None:
    site = killable()
    client = site.login()
    run = client.post("/api/agent/runs", json={"input": "/tool test.slow {}"}).json()
    seen = read_until(client, run["run_id"], lambda events: events[-1]["type"] == "ToolCallStarted")
    log = tmp_path / "slow.log"
    while not log.exists():
        time.sleep(0.02)

    site.kill()
    after = killable()
    client = after.login()
    ended(client, run["run_id"])

    events = events_of(client, run["run_id"])
    completed = [event["data"] for event in events if event["type"] == "ToolCallCompleted"]
    assert events[: len(seen)] == seen
    assert [data["status"] for data in completed] == ["unknown"]
    found = records(after, run["run_id"])
    assert (found["turns"], found["tools"]) == ([("failed", "AGENT_PROCESS_RESTARTED")], [("unknown",)])
    assert log.read_text() == "called\n"
    going_on = {"input": "go on", "conversation_id": run["conversation_id"]}
    next_run = client.post("/api/agent/runs", json=going_on).raise_for_status().json()
    assert ended(client, next_run["run_id"])["status"] == "completed"


def test_recover_runs_ends_what_a_killed_site_left(killable: Callable[[], Site]) -> None:
    site = killable()
    client = site.login()
    run = client.post("/api/agent/runs", json={"input": "/stream 500 20"}).json()
    read_until(client, run["run_id"], lambda events: len(events) >= 4)
    site.kill()

    first, second = site.manage("recover_runs"), site.manage("recover_runs")

    assert first.stdout == "runs ended: 1, records delivered: 1\n"
    assert second.stdout == "runs ended: 0, records delivered: 0\n"
