"""``manage.py recover_runs``: end runs whose owner is gone, and deliver the records that are owed."""

import asyncio
from typing import Any

from django.core.management.base import BaseCommand

from agentcore.pool import close_pools
from agentcore.runs.recovery import recover


class Command(BaseCommand):
    help = "Ends runs whose process is gone and delivers records that are owed. Safe at any time."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            recovered = asyncio.run(recover())
        finally:
            close_pools()
        self.stdout.write(f"runs ended: {recovered.closed}, records delivered: {recovered.delivered}")
