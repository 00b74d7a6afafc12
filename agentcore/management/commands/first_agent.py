"""``manage.py first_agent``: an agent that answers, on a fresh database."""

from typing import Any

from django.core.management.base import BaseCommand

from agentcore.conf import steward
from agentcore.management.database import usable_database
from agentcore.services.first_agent import agent_first


class Command(BaseCommand):
    help = "Makes the default agent, answered by the offline model mock-1, where there is none. Safe to repeat."

    def handle(self, *args: Any, **options: Any) -> None:
        slug = steward().DEFAULT_AGENT
        with usable_database():
            is_new = agent_first()
        if is_new:
            self.stdout.write(f"The agent '{slug}' answers with the offline model mock-1.")
        else:
            self.stdout.write(f"The agent '{slug}' is there already and stays as it is.")
