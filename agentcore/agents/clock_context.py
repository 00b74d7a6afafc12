"""The clock as context: a model knows no date, and "tomorrow" needs one."""

from collections.abc import Sequence
from datetime import timedelta
from zoneinfo import ZoneInfo

from agentcore.agents.context import RunContext
from agentcore.messages import Message, Role

# Read by models, not by people: not translated, and without the time of day, so that it stays the same for a day.
# Not a sentence: a small model takes one for its own beginning and goes on from there.
# Tomorrow is told, too: a small model gives today's date for it.
DAYS = "```context\ndate: {today:{day}}, tomorrow: {tomorrow:{day}}, time zone: {zone}\n```"
DAY = "%Y-%m-%d (%A)"


class ClockContext:
    """Implements ``agentcore.agents.context_provider.ContextProvider``: the caller's date and time zone."""

    async def provide(self, run: RunContext, messages: Sequence[Message]) -> Sequence[Message]:
        zone = run.caller.time_zone
        today = run.clock.now().astimezone(ZoneInfo(zone)).date()
        tomorrow = today + timedelta(days=1)
        return [Message.of(Role.USER, DAYS.format(today=today, tomorrow=tomorrow, day=DAY, zone=zone))]
