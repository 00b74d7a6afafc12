"""``time.*``: what a model cannot know."""

from typing import Annotated
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.utils import timezone as django_timezone
from django.utils.dates import WEEKDAYS
from django.utils.translation import gettext as _

from agentcore.errors import ToolArgumentsInvalid
from toolsapp.decorator import agent_tool


@agent_tool(name="time.now", category="time")
def now(
    timezone: Annotated[str | None, "An IANA name such as Asia/Shanghai; left out, the site's own"] = None,
) -> dict[str, str]:
    """The date and time now, with the weekday."""
    moment = django_timezone.now().astimezone(_zone(timezone))
    return {
        "now": moment.isoformat(timespec="seconds"),
        "date": moment.date().isoformat(),
        "weekday": str(WEEKDAYS[moment.weekday()]),
        "timezone": timezone or django_timezone.get_default_timezone_name(),
    }


def _zone(name: str | None) -> ZoneInfo:
    if not name:
        return ZoneInfo(django_timezone.get_default_timezone_name())
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        problem = _("Pass an IANA time zone name such as Asia/Shanghai, Europe/Berlin or UTC.")
        raise ToolArgumentsInvalid(problem, details=[{"path": "timezone", "problem": problem}]) from error
