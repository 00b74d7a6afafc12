"""The real site on a database of its own: SQLite, or PostgreSQL where the suite runs on it."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import psycopg
import pytest
from django.db import connection

from agentcore.ids import uuid7
from tests.site import Site, free_port

SETTINGS = {"DJANGO_SETTINGS_MODULE": "tests.live.settings"}


def _postgres_url(name: str) -> str:
    """A fresh database beside that of the tests."""
    server = connection.settings_dict
    place = f"{server['USER']}:{server['PASSWORD']}@{server['HOST'] or '127.0.0.1'}:{server['PORT'] or 5432}"
    with psycopg.connect(f"postgres://{place}/postgres", autocommit=True) as admin:
        admin.execute(f'CREATE DATABASE "{name}"')
    return f"postgres://{place}/{name}"


def _drop(url: str) -> None:
    name = urlsplit(url).path[1:]
    with psycopg.connect(url.rpartition("/")[0] + "/postgres", autocommit=True) as admin:
        admin.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a database that is migrated and has the demo; never written to afterwards on SQLite."""
    if connection.vendor == "postgresql":
        url = _postgres_url(f"live_{uuid7().hex}")
        Site(url, environment=SETTINGS).prepare()
        yield url
        _drop(url)
    else:
        url = f"sqlite:///{tmp_path_factory.mktemp('live') / 'prepared.sqlite3'}"
        Site(url, environment=SETTINGS).prepare()
        yield url


@pytest.fixture
def make_site(prepared: str, tmp_path: Path) -> Iterator[Callable[..., Site]]:
    """Start sites on one fresh database of this test; whatever still runs is killed at the end."""
    sites: list[Site] = []
    url = prepared
    if url.startswith("sqlite"):
        shutil.copy(url.removeprefix("sqlite:///"), tmp_path / "site.sqlite3")
        url = f"sqlite:///{tmp_path / 'site.sqlite3'}"

    def start(port: int | None = None, **environment: str) -> Site:
        site = Site(url, environment={**SETTINGS, **environment}, port=port or free_port())
        sites.append(site)
        return site.start()

    yield start
    for site in sites:
        site.kill()


@pytest.fixture(scope="session")
def site(prepared: str) -> Iterator[Site]:
    """One site for the tests that only talk to it."""
    running = Site(prepared, environment=SETTINGS).start()
    yield running
    running.kill()


@pytest.fixture(scope="session")
def logged_in(site: Site) -> Iterator[httpx.Client]:
    client = site.login()
    yield client
    client.close()


@pytest.fixture
def client(logged_in: httpx.Client) -> Iterator[httpx.Client]:
    """The demo user's session; the runs that a test leaves are stopped."""
    yield logged_in
    for conversation in logged_in.get("/api/conversations").json()["results"]:
        if run_id := conversation["open_run_id"]:
            logged_in.post(f"/api/agent/runs/{run_id}/cancel")
            logged_in.get(f"/api/agent/runs/{run_id}/events")
