"""The observers that keep the records: named by ``STEWARD["OBSERVERS"]``, told by the ground."""

from typing import ClassVar
from uuid import UUID

from agentcore.observers import ModelCallStarted, Observation, RunEnded
from governance.bridge import aaudit_record, aledger_record
from governance.closing import DAY_CLOSER


class LedgerObserver:
    """Keeps the turn and its model calls. Waited for before an attempt connects, so that no bill lacks a row."""

    awaited: ClassVar[tuple[type[Observation], ...]] = (ModelCallStarted,)

    async def observe(self, run_id: UUID, observations: list[Observation]) -> None:
        await aledger_record(run_id, observations)
        if any(isinstance(item, RunEnded) for item in observations):
            DAY_CLOSER.start()


class AuditObserver:
    """Keeps what happened, masked. Nobody waits for it, unless ``AUDIT_MODE`` is ``required``."""

    async def observe(self, run_id: UUID, observations: list[Observation]) -> None:
        await aaudit_record(run_id, observations)
