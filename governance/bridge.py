"""The crossings from async code to the records, one line each."""

from agentcore.pool import in_pool, in_writer
from governance.pages.export import export_part
from governance.services.audit import audit_record
from governance.services.ledger import ledger_record
from governance.services.rollups import day_close_next

aledger_record = in_writer(ledger_record)
aaudit_record = in_writer(audit_record)
aday_close_next = in_writer(day_close_next)
aexport_part = in_pool(export_part)
