"""The journal of a run that has rows: the kernel's contract over the recorder."""

import hashlib
import json
from datetime import datetime
from functools import partial
from typing import Any

from agentcore.agents.journal import Outcome, call_completed, call_started
from agentcore.clock import CLOCK, Clock
from agentcore.events import EventType
from agentcore.messages import FunctionCallContent, Message
from agentcore.redaction import Redactor
from agentcore.runs.recorder import LiveRun, Recorder
from agentcore.serialisation import message_to_json
from agentcore.services.calls import CallRow, call_claim, call_settle, calls_propose
from agentcore.services.steps import step_settle
from agentcore.tools import Tool

MAX_NAME = 200


def argument_hash(arguments: dict[str, Any]) -> str:
    """SHA-256 of the arguments in a canonical spelling: the same call has the same hash."""
    canonical = json.dumps(arguments, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str)
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()


# A person's and the assistant's text is theirs; what goes into tools and comes out of them may hold secrets.
REDACTED = frozenset({EventType.TOOL_CALL_STARTED, EventType.TOOL_CALL_COMPLETED})


class RunJournal:
    """Writes the rows of a run in the same transaction as the events that show them.

    The one place where arguments, results and errors are redacted before they are stored or shown.
    """

    def __init__(
        self, recorder: Recorder, live: LiveRun, *, fence: int, redactor: Redactor, clock: Clock = CLOCK
    ) -> None:
        self._recorder, self._live, self._fence = recorder, live, fence
        self._redactor, self._clock = redactor, clock

    def emit(self, type: EventType, data: dict[str, Any]) -> None:
        self._recorder.emit(self._live, type, self._redactor.redact(data) if type in REDACTED else data)

    async def calls_proposed(self, step: int, calls: list[tuple[FunctionCallContent, Tool | None]]) -> None:
        now = self._clock.now()
        rows = [_row(step, call, tool, now) for call, tool in calls]
        for call, tool in calls:
            self.emit(EventType.TOOL_CALL_STARTED, call_started(call, tool))
        await self._commit(partial(calls_propose, run_id=self._live.run_id, fence=self._fence, rows=rows))

    async def call_claimed(self, call_id: str) -> None:
        await self._commit(partial(call_claim, run_id=self._live.run_id, call_id=call_id, fence=self._fence))

    async def call_settled(self, step: int, outcome: Outcome) -> None:
        result = outcome.result
        self.emit(EventType.TOOL_CALL_COMPLETED, call_completed(outcome))
        await self._commit(
            partial(
                call_settle,
                run_id=self._live.run_id,
                call_id=result.call_id,
                fence=self._fence,
                status=result.status.value,
                result=result.result,
                error=result.error,
                finished_at=self._clock.now(),
            )
        )

    async def step_settled(self, step: int, messages: list[Message]) -> None:
        stored = [message_to_json(message) for message in messages]
        await self._commit(partial(step_settle, run_id=self._live.run_id, step=step, messages=stored))

    async def _commit(self, write: Any) -> None:
        await self._recorder.commit(self._live, write)


def _row(step: int, call: FunctionCallContent, tool: Tool | None, now: datetime) -> CallRow:
    return CallRow(
        call_id=call.call_id,
        step=step,
        name=call.name[:MAX_NAME],
        arguments=call.arguments,
        argument_hash=argument_hash(call.arguments),
        definition_hash=tool.definition_hash if tool else "",
        effect=tool.effect.value if tool else "read",
        idempotent=tool.idempotent if tool else False,
        created_at=now,
    )
