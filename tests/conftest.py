"""What every test relies on: its needs are met or it is skipped with the reason, and no thread outlives the suite."""

from collections.abc import Iterator

import pytest
from asgiref.sync import SyncToAsync
from django.db import connections
from django.utils import translation
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

from agentcore.pool import close_pools
from tests.requirements import MISSING, chromium, is_ci

# A machine that is busy is no fault of what is tested.
hypothesis_settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
hypothesis_settings.load_profile("patient")


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


@pytest.fixture(scope="session")
def chromium_path() -> str:
    """The browser that tests marked ``browser`` drive."""
    path = chromium()
    assert path, "Mark the test 'browser'."
    return path


@pytest.fixture(scope="session", autouse=True)
def _pools_end_with_the_session() -> Iterator[None]:
    yield
    close_pools()


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None) -> Iterator[None]:
    """All other threads' connections end before the test database does: PostgreSQL does not drop one in use."""
    yield
    close_pools()
    SyncToAsync.single_thread_executor.submit(connections.close_all).result()
