"""Readers that wait for the next event of a run, and what they cost meanwhile."""

import os
from contextlib import ExitStack
from pathlib import Path

import httpx
import psycopg
import pytest

from agentcore.pool import READERS
from tests.site import Site

pytestmark = pytest.mark.database

WAITING = 3 * READERS
ONE_WORD_A_MINUTE = "/stream 2 60000"
COUNT = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"


def connections_of(site: Site) -> int:
    """How many connections the process has to its database."""
    if not site.database_url.startswith("sqlite"):
        with psycopg.connect(site.database_url) as watcher:
            (count,) = watcher.execute(COUNT).fetchone() or (0,)
            return int(count)
    assert site.process is not None
    opened = [_target(file) for file in Path(f"/proc/{site.process.pid}/fd").iterdir()]
    return opened.count(site.database_url.removeprefix("sqlite:///"))


def _target(file: Path) -> str:
    try:
        return os.readlink(file)
    except FileNotFoundError:
        return "closed meanwhile"


def test_readers_that_wait_hold_no_connection(site: Site, client: httpx.Client) -> None:
    run_id = client.post("/api/agent/runs", json={"input": ONE_WORD_A_MINUTE}).raise_for_status().json()["run_id"]
    with ExitStack() as stack:
        for _reader in range(WAITING):
            stream = stack.enter_context(client.stream("GET", f"/api/agent/runs/{run_id}/events"))
            next(line for line in stream.iter_lines() if line == "event: TextDelta")
        # The threads of the pool, the writer's, and that of a request which has just ended.
        assert 0 < connections_of(site) <= READERS + 2
