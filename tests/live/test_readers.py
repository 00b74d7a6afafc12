"""Readers that wait for the next event of a run, and what they cost meanwhile."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

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


@pytest.fixture
def site(make_site: Callable[..., Site]) -> Site:
    """A site of its own: what requests of other tests have left open is not counted."""
    return make_site()


@pytest.fixture
def waiting(site: Site) -> Iterator[list[Iterator[str]]]:
    """Readers of one run who have seen its first word and wait for the next. A response is closed with its lines."""
    client = site.login()
    run_id = client.post("/api/agent/runs", json={"input": ONE_WORD_A_MINUTE}).raise_for_status().json()["run_id"]
    with ExitStack() as stack:
        address = f"/api/agent/runs/{run_id}/events"
        streams = [stack.enter_context(client.stream("GET", address)) for _reader in range(WAITING)]
        readers = [stream.iter_lines() for stream in streams]
        yield [reader for reader in readers if "event: TextDelta" in reader]


def test_readers_that_wait_hold_no_connection(site: Site, waiting: list[Iterator[str]]) -> None:
    assert len(waiting) == WAITING
    # The threads of the pool and what the login has left open are fewer by far.
    assert 0 < connections_of(site) < WAITING


@pytest.mark.postgres
def test_requests_leave_no_connection_behind(site: Site) -> None:
    client = site.login("admin")
    for _request in range(60):
        client.get("/governance/turns/").raise_for_status()

    assert 0 < connections_of(site) <= READERS
