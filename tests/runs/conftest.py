"""Who starts a run, and a tool that takes its time."""

import asyncio
from typing import Any

import pytest

from agentcore.testing import RecordingTool
from agentcore.tools import Caller, Tool


@pytest.fixture
def user(transactional_db: None, django_user_model: Any) -> Any:
    return django_user_model.objects.create_user("ada")


@pytest.fixture
def other_user(transactional_db: None, django_user_model: Any) -> Any:
    return django_user_model.objects.create_user("eve")


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
