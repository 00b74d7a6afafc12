"""``manage.py trim_governance``: delete records whose time is up."""

from argparse import ArgumentParser, ArgumentTypeError
from typing import Any

from django.core.management.base import BaseCommand

from agentcore.conf import steward
from governance.services.retention import records_trim
from governance.services.rollups import days_close

MOST_DAYS = 36_500


class Command(BaseCommand):
    help = "Deletes expired ledger, audit and trace rows, never a conversation or message. Safe to repeat."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--days", type=_days, help="keep this many days; default RETENTION_DAYS")
        parser.add_argument("--dry-run", action="store_true", help="count only, delete nothing")

    def handle(self, *args: Any, days: int | None, dry_run: bool, **options: Any) -> None:
        kept = steward().RETENTION_DAYS if days is None else days
        found = records_trim(days=kept, dry_run=dry_run)
        if not dry_run:
            days_close()
        what = "would be deleted" if dry_run else "deleted"
        self.stdout.write(f"older than {kept} days, {what}:")
        self.stdout.write(f"  turns {found.turns}, model calls {found.model_calls}")
        self.stdout.write(f"  audit events {found.audit_events}, run events {found.run_events}")


def _days(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 6 and 1 <= int(text) <= MOST_DAYS):
        raise ArgumentTypeError(f"a whole number of days from 1 to {MOST_DAYS}, not {text!r}")
    return int(text)
