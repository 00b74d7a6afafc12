"""``manage.py seed_ledger``: a realistic ledger, to measure the pages with."""

from argparse import ArgumentParser, ArgumentTypeError
from time import monotonic
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from governance.services.seeding import ledger_is_real, ledger_seed

MOST = 10_000_000


class Command(BaseCommand):
    help = "Adds a realistic ledger of eight weeks, for benchmarks. Never where real turns are, unless forced."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--turns", type=_turns, required=True, help="how many turns to add")
        parser.add_argument("--force", action="store_true", help="also where real turns are on record")

    def handle(self, *args: Any, turns: int, force: bool, **options: Any) -> None:
        if ledger_is_real() and not force:
            raise CommandError(
                "Real turns are on record here; seeded ones would be counted with them. If you must: --force"
            )
        began = monotonic()
        ledger_seed(turns)
        self.stdout.write(f"turns added: {turns}, in {monotonic() - began:.1f} s")


def _turns(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 9 and 1 <= int(text) <= MOST):
        raise ArgumentTypeError(f"a whole number from 1 to {MOST}, not {text!r}")
    return int(text)
