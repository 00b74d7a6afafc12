"""The command itself: the provider is on while the model answers, and nothing outlives it."""

import sqlite3
import time
from contextlib import closing

import httpx
import pytest

from tests.local_llm.conftest import local_llm
from tests.site import Site

pytestmark = pytest.mark.local_llm


def provider(site: Site) -> tuple[int, str]:
    """Whether the provider ``local`` is on, and where it is."""
    query = "SELECT enabled, base_url FROM agentcore_provider WHERE slug = 'local'"
    with closing(sqlite3.connect(site.database_url.removeprefix("sqlite:///"))) as database:
        enabled, base_url = database.execute(query).fetchone()
    return enabled, base_url


def answers(base_url: str) -> bool:
    try:
        return httpx.get(f"{base_url}/models").status_code == 200
    except httpx.TransportError:
        return False


def first_routes(site: Site) -> list[str]:
    query = "SELECT provider_id FROM agentcore_agentroute WHERE agent_id = 'assistant' ORDER BY position"
    with closing(sqlite3.connect(site.database_url.removeprefix("sqlite:///"))) as database:
        return [row[0] for row in database.execute(query)]


def test_the_provider_is_on_while_the_model_answers(site: Site) -> None:
    with local_llm(site, "--default"):
        enabled, base_url = provider(site)
        assert enabled
        assert answers(base_url)
        assert first_routes(site) == ["local", "mock"]
    assert not provider(site)[0]
    assert not answers(base_url)
    assert first_routes(site) == ["mock"]


def test_the_server_does_not_outlive_a_killed_command(site: Site) -> None:
    with local_llm(site) as process:
        _enabled, base_url = provider(site)
        process.kill()
        process.wait()
        deadline = time.monotonic() + 20
        while answers(base_url) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert not answers(base_url)
