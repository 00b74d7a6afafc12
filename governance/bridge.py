"""The crossings from async code to the records, one line each."""

from agentcore.pool import in_pool, in_writer
from governance.pages.export import export_part
from governance.services.audit import audit_record
from governance.services.closing import days_close_due
from governance.services.ledger import ledger_record

aledger_record = in_writer(ledger_record)
aaudit_record = in_writer(audit_record)
adays_close_due = in_writer(days_close_due)
aexport_part = in_pool(export_part)
