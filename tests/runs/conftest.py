"""Rows that a run needs: a user, the mock provider, an agent with one route."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import pytest_asyncio

from agentcore.models import AgentProfile, AgentRoute, Provider
from agentcore.pool import close_pools
from agentcore.runs.runtime import Runtime, runtime
from agentcore.testing import RecordingTool
from agentcore.tools import Caller, Tool


@pytest.fixture
def user(transactional_db: None, django_user_model: Any) -> Any:
    return django_user_model.objects.create_user("ada", password="correct horse")


@pytest.fixture
def other_user(transactional_db: None, django_user_model: Any) -> Any:
    return django_user_model.objects.create_user("eve", password="correct horse")


@pytest.fixture
def agent(transactional_db: None) -> AgentProfile:
    provider = Provider.objects.create(slug="mock", provider_type="mock", name="Mock", default_model="mock-1")
    profile = AgentProfile.objects.create(slug="assistant", name="Assistant", instructions="Be kind.")
    AgentRoute.objects.create(agent=profile, provider=provider, position=0)
    return profile


@pytest_asyncio.fixture
async def process(agent: AgentProfile) -> AsyncIterator[Runtime]:
    """This test's runtime, without timers; it ends when its runs have."""
    current = runtime()
    current.start = lambda: None  # type: ignore[method-assign]
    yield current
    await current.close()


@pytest.fixture(autouse=True)
def _no_connection_outlives_a_test() -> Iterator[None]:
    yield
    close_pools()


@pytest.fixture
def slow_tool(monkeypatch: pytest.MonkeyPatch) -> RecordingTool:
    """``test.slow``: a tool that waits until its ``behaviour`` is set."""
    recording = RecordingTool("test.slow", asyncio.Event())
    tool = recording.tool()

    class WithSlowTool:
        def tools_for(self, caller: Caller) -> list[Tool]:
            return [tool]

    monkeypatch.setattr("agentcore.services.plans.loaded", lambda paths: [WithSlowTool])
    return recording
