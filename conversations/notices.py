"""Notices: tells a person's open windows that a run of theirs began or ended."""

import logging
from typing import Any
from uuid import UUID

from agentcore.observers import Observation, RunEnded, RunStarted
from conversations.bridge import aconversation_title
from conversations.groups import group_tell

logger = logging.getLogger(__name__)


class ConversationNotices:
    """An observer. One message a run's start and end, never one a token; it keeps no record, so it owes none."""

    async def observe(self, run_id: UUID, observations: list[Observation]) -> None:
        told = [item for item in observations if isinstance(item, RunStarted | RunEnded)]
        if not told:
            return
        newest = told[-1]
        started = newest.started if isinstance(newest, RunEnded) else newest
        try:
            await _tell(run_id, started, "idle" if isinstance(newest, RunEnded) else "running")
        except Exception:
            # A lost notice is a title that is late in one window; failing would make the run's record owed again.
            logger.exception("The windows of run %s could not be told.", run_id)


async def _tell(run_id: UUID, started: RunStarted, state: str) -> None:
    if started.conversation_id is None or started.user_id is None:
        return
    frame: dict[str, Any] = {
        "type": "conversation",
        "conversation_id": str(started.conversation_id),
        "title": await aconversation_title(started.conversation_id),
        "agent": started.agent,
        "run_id": str(run_id),
        "state": state,
    }
    await group_tell(started.user_id, frame)
