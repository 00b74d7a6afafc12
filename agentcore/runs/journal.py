"""The journal of a run that has rows: the kernel's contract over the recorder."""

from datetime import datetime
from functools import partial
from typing import Any

from agentcore.agents.journal import Outcome, ProposedCall, call_completed, call_started
from agentcore.clock import CLOCK, Clock
from agentcore.events import EventType
from agentcore.messages import Message
from agentcore.runs.recorder import LiveRun, Recorder
from agentcore.serialisation import message_to_json
from agentcore.services.calls import CallRow, call_claim, call_settle, calls_propose
from agentcore.services.steps import step_settle

MAX_NAME = 200


class RunJournal:
    """Writes the rows of a run in the same transaction as the events that show them."""

    def __init__(self, recorder: Recorder, live: LiveRun, *, fence: int, clock: Clock = CLOCK) -> None:
        self._recorder, self._live, self._fence, self._clock = recorder, live, fence, clock

    def emit(self, type: EventType, data: dict[str, Any]) -> None:
        self._recorder.emit(self._live, type, data)

    async def calls_proposed(self, step: int, calls: list[ProposedCall]) -> None:
        now = self._clock.now()
        rows = [_row(step, proposed, now) for proposed in calls]
        for proposed in calls:
            self.emit(EventType.TOOL_CALL_STARTED, call_started(proposed))
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


def _row(step: int, proposed: ProposedCall, now: datetime) -> CallRow:
    call, tool = proposed.call, proposed.tool
    return CallRow(
        call_id=call.call_id,
        step=step,
        name=call.name[:MAX_NAME],
        arguments=call.arguments,
        argument_hash=proposed.argument_hash,
        definition_hash=tool.definition_hash if tool else "",
        effect=tool.effect.value if tool else "read",
        idempotent=tool.idempotent if tool else False,
        created_at=now,
    )
