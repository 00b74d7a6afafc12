"""``manage.py demo``: users, an agent, providers, prices and flights to try the site out with."""

import os
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from agentcore.management.database import usable_database
from examples.travel.services.demo import DemoUser, demo_load

LOST = "A password that is lost: STEWARD_DEMO_PASSWORD=… make run (or manage.py demo) gives all three that one."
HINTS = """
Open     {address}/
             the site, with the drawer at the bottom right
         {address}/governance/turns/
             what was recorded, as operator
         {address}/admin/
             providers, agents, prices, as admin

Try      Find me a flight from Shanghai to Tokyo tomorrow.
             with a real model: make local-llm TOOLS=1
         hello
             the offline model says it back
         /tool search_flights {{"origin": "Shanghai", "destination": "Tokyo", "date": "tomorrow"}}
         /tool get_weather {{"city": "Berlin"}}
             the offline model calls a tool
         /stream 200 20
             a long answer, to stop or to reload in
"""


class Command(BaseCommand):
    help = "Load the demo data: users demo, operator and admin, the travel assistant, sample flights. Safe to repeat."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--force", action="store_true", help="also with DEBUG off")
        parser.add_argument("--brief", action="store_true", help="print the users only")

    def handle(self, *args: Any, force: bool, brief: bool, verbosity: int, **options: Any) -> None:
        if not (settings.DEBUG or force):
            raise CommandError("DEBUG is off, so this may be a real site: demo users in it are a risk. Else: --force")
        given = os.environ.get("STEWARD_DEMO_PASSWORD") or None
        with usable_database():
            users = demo_load(password=given)
        if verbosity < 1:
            return
        for user in users:
            self.stdout.write(_line(user, is_given=bool(given)))
        if not given and any(user.password is None for user in users):
            self.stdout.write(LOST)
        if not brief:
            self.stdout.write(HINTS.format(address=_address()).rstrip())


def _address() -> str:
    """Where the site is served, as ``make run`` says; nothing when somebody else serves it."""
    port = os.environ.get("PORT")
    return f"http://127.0.0.1:{port}" if port else ""


def _line(user: DemoUser, *, is_given: bool) -> str:
    kept = "has the password of STEWARD_DEMO_PASSWORD" if is_given else "keeps its password"
    return f"user {user.username:<10} {f'password {user.password}' if user.password else kept}"
