"""The crossings from async code to the records, one line each."""

from agentcore.pool import in_writer
from governance.services.audit import audit_record
from governance.services.ledger import ledger_record

aledger_record = in_writer(ledger_record)
aaudit_record = in_writer(audit_record)
