"""What is on record. Plain rows without foreign keys: they outlive the runs and conversations they tell of."""

from governance.models.audit import AuditEvent
from governance.models.ledger import ModelCall, Turn
from governance.models.rollups import DailyModelUsage, DailyUserUsage, UsageDay

__all__ = ["AuditEvent", "DailyModelUsage", "DailyUserUsage", "ModelCall", "Turn", "UsageDay"]
