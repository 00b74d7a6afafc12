"""The environment of the tests: fixed keys, so that no test depends on a private file."""

import os

os.environ.setdefault("SECRET_KEY", "only-for-tests-only-for-tests-only-for-tests-only-for-tests")
os.environ.setdefault("DEBUG", "1")
os.environ.setdefault("STEWARD_CREDENTIAL_KEYS", "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=")

from collections.abc import Iterator

import pytest

from agentcore.pool import close_pools


@pytest.fixture(scope="session", autouse=True)
def _pools_end_with_the_session() -> Iterator[None]:
    yield
    close_pools()
