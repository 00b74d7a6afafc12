"""What every test relies on: its needs are met or it is skipped with the reason, and it leaves nothing to the next.

With it the site that most of them need: an agent on the mock provider, and a runtime of the test's own.
"""

from collections.abc import AsyncIterator, Callable, Iterator

import pytest
import pytest_asyncio
from asgiref.sync import SyncToAsync
from channels.layers import channel_layers
from django.conf import settings
from django.db import connections
from django.db.backends.postgresql.operations import DatabaseOperations
from django.utils import translation
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

from agentcore.gateway.breaker import Breaker, MemoryStore
from agentcore.models import AgentProfile, AgentRoute, Provider
from agentcore.pool import close_pools
from agentcore.runs.runtime import Runtime, runtime
from agentcore.services import breakers, discovery
from tests.requirements import MISSING, chromium, is_ci

# A machine that is busy is no fault of what is tested.
hypothesis_settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
hypothesis_settings.load_profile("patient")


def pytest_configure() -> None:
    # Slow on purpose, and no test is about it.
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


def pytest_runtest_setup(item: pytest.Item) -> None:
    for mark, missing in MISSING.items():
        reason = missing() if item.get_closest_marker(mark) else None
        if reason and is_ci():
            pytest.fail(reason, pytrace=False)
        if reason:
            pytest.skip(reason)


@pytest.fixture(autouse=True)
def _no_language_is_left_over() -> Iterator[None]:
    """A request leaves its language active in its thread; the next test begins without one."""
    translation.deactivate()
    yield
    translation.deactivate()


@pytest.fixture(autouse=True)
def _what_a_breaker_learns_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """In memory: what the cache keeps is shared, and clearing it would take more than this test's keys."""
    monkeypatch.setattr(breakers, "_breaker", Breaker(MemoryStore()))


def _close_connections() -> None:
    close_pools()
    SyncToAsync.single_thread_executor.submit(connections.close_all).result()


@pytest.fixture(autouse=True)
def _no_connection_outlives_a_test() -> Iterator[None]:
    yield
    _close_connections()


@pytest.fixture(autouse=True)
def errands(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Callable[[], object]]]:
    """What was to be done in the background, kept: no provider is asked that the test does not ask."""
    kept: list[Callable[[], object]] = []
    monkeypatch.setattr(discovery, "in_background", kept.append)
    yield kept
    discovery.discovery_forget()


@pytest.fixture(autouse=True)
def _no_channel_layer_outlives_a_test() -> Iterator[None]:
    """What it keeps belongs to the event loop of the test: a lock that is held when the loop ends stays locked."""
    yield
    channel_layers.backends.clear()


@pytest.fixture
def agent(transactional_db: None) -> AgentProfile:
    provider = Provider.objects.create(slug="mock", provider_type="mock", name="Mock", default_model="mock-1")
    profile = AgentProfile.objects.create(slug="assistant", name="Assistant")
    AgentRoute.objects.create(agent=profile, provider=provider, position=0)
    return profile


@pytest_asyncio.fixture
async def process(agent: AgentProfile) -> AsyncIterator[Runtime]:
    """This test's runtime, without timers; it ends when its runs have."""
    current = runtime()
    current.start = lambda: None  # type: ignore[method-assign]
    yield current
    await current.close()


@pytest.fixture(scope="session")
def chromium_path() -> str:
    """The browser that tests marked ``browser`` drive."""
    path = chromium()
    assert path, "Mark the test 'browser'."
    return path


@pytest.fixture(scope="session", autouse=True)
def _tables_are_emptied_row_by_row() -> Iterator[None]:
    """On PostgreSQL a TRUNCATE makes new files for each of the tables after each test; there are a handful of rows."""

    def sql_flush(operations: DatabaseOperations, style: object, tables: list[str], **_options: object) -> list[str]:
        return [f"DELETE FROM {operations.quote_name(table)}" for table in tables]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DatabaseOperations, "sql_flush", sql_flush)
        yield


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None) -> Iterator[None]:
    """All other threads' connections end before the test database does: PostgreSQL does not drop one in use."""
    yield
    _close_connections()
