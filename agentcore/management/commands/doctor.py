"""``manage.py doctor``: what is right with an installation, and what is wrong and how to mend it."""

import sys
import warnings
from typing import Any

from django.core.management.base import BaseCommand

from agentcore.diagnosis.finding import Finding
from agentcore.diagnosis.registry import findings


class Command(BaseCommand):
    help = "Checks an installation, a line each: right, or wrong and how to mend it. Exit 1 when something is wrong."
    # It runs them itself, to tell them with everything else.
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        # WhiteNoise warns of the folder that the look at static files tells with its cure.
        warnings.filterwarnings("ignore", "No directory at", UserWarning)
        number = doubts = 0
        for part, finding in findings():
            number += not finding.is_right
            doubts += finding.is_doubtful
            self.stdout.write(f"{self._mark(finding)}  {part:<14} {finding.text}")
            if finding.cure:
                self.stdout.write(f"{'':<22}→ {finding.cure}")
        if number:
            self.stdout.write(f"\nWrong: {number}.")
            sys.exit(1)
        self.stdout.write(f"\nNothing is wrong. Worth a look: {doubts}." if doubts else "\nAll is right.")

    def _mark(self, finding: Finding) -> str:
        if finding.is_doubtful:
            return self.style.WARNING("look!")
        return self.style.SUCCESS("right") if finding.is_right else self.style.ERROR("WRONG")
