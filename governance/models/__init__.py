"""What is on record. Plain rows without foreign keys: they outlive the runs and conversations they tell of."""

from governance.models.audit import AuditEvent
from governance.models.ledger import ModelCall, Turn

__all__ = ["AuditEvent", "ModelCall", "Turn"]
