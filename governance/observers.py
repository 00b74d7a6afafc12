"""The observers that keep the records: named by ``STEWARD["OBSERVERS"]``, told by the ground."""

from uuid import UUID

from agentcore.observers import Observation
from governance.bridge import aaudit_record, aledger_record


class LedgerObserver:
    """Keeps the turn and its model calls."""

    async def observe(self, run_id: UUID, observations: list[Observation]) -> None:
        await aledger_record(run_id, observations)


class AuditObserver:
    """Keeps what happened, masked."""

    async def observe(self, run_id: UUID, observations: list[Observation]) -> None:
        await aaudit_record(run_id, observations)
