"""The real site on a database of its own: SQLite, or PostgreSQL where the suite runs on it."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import psycopg
import pytest
from django.db import connection
from playwright.sync_api import Browser, sync_playwright

from agentcore.ids import uuid7
from tests.site import Site, free_port

SETTINGS = {"DJANGO_SETTINGS_MODULE": "tests.live.settings"}


def _postgres_server() -> str:
    """The address of the server of the tests, without a database."""
    server = connection.settings_dict
    return f"postgres://{server['USER']}:{server['PASSWORD']}@{server['HOST'] or '127.0.0.1'}:{server['PORT'] or 5432}"


@contextmanager
def _postgres_database(template: str = "template1") -> Iterator[str]:
    """A database beside that of the tests, a copy of ``template``, which nobody may be connected to."""
    server, name = _postgres_server(), f"live_{uuid7().hex}"
    with psycopg.connect(f"{server}/postgres", autocommit=True) as admin:
        admin.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
        try:
            yield f"{server}/{name}"
        finally:
            admin.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@contextmanager
def _copy_of(prepared: str, folder: Path) -> Iterator[str]:
    """A database like ``prepared`` that no other site works on: one that recovers runs would end another's."""
    if prepared.startswith("sqlite"):
        shutil.copy(prepared.removeprefix("sqlite:///"), folder / "site.sqlite3")
        yield f"sqlite:///{folder / 'site.sqlite3'}"
    else:
        with _postgres_database(template=urlsplit(prepared).path[1:]) as url:
            yield url


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a database that is migrated and has the demo. Sites work on copies of it."""
    with ExitStack() as stack:
        if connection.vendor == "postgresql":
            url = stack.enter_context(_postgres_database())
        else:
            url = f"sqlite:///{tmp_path_factory.mktemp('live') / 'prepared.sqlite3'}"
        Site(url, environment=SETTINGS).prepare()
        yield url


@pytest.fixture
def make_site(prepared: str, tmp_path: Path) -> Iterator[Callable[..., Site]]:
    """Start sites on one fresh database of this test; whatever still runs is killed at the end."""
    sites: list[Site] = []

    with _copy_of(prepared, tmp_path) as url:

        def start(port: int | None = None, **environment: str) -> Site:
            site = Site(url, environment={**SETTINGS, **environment}, port=port or free_port())
            sites.append(site)
            return site.start()

        yield start
        for site in sites:
            site.kill()


@pytest.fixture(scope="session")
def site(prepared: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """One site for the tests that only talk to it."""
    with _copy_of(prepared, tmp_path_factory.mktemp("site")) as url:
        running = Site(url, environment=SETTINGS).start()
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


@pytest.fixture(scope="module")
def browser(chromium_path: str) -> Iterator[Browser]:
    """Of a module and not of the session: its event loop would be in the way of other tests."""
    arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path, args=arguments)
        yield browser
        browser.close()
