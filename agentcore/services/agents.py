"""Agents: what an admin may set, checked before it is stored."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from agentcore.conf import loaded, steward
from agentcore.errors import ValidationFailed
from agentcore.services.plans import caller_of
from agentcore.text import clean_text
from agentcore.tools import Tool

# The agent's limit, the site's setting that it may lower, and whether it counts in whole numbers.
LIMITS: dict[str, tuple[str, bool]] = {
    "max_tool_loops": ("MAX_TOOL_LOOPS", True),
    "max_steps": ("MAX_STEPS", True),
    "timeout_s": ("RUN_TIMEOUT", False),
    "max_output_tokens": ("MAX_OUTPUT_TOKENS", True),
    "token_budget": ("RUN_TOKEN_BUDGET", True),
}
MAX_SUGGESTIONS, MAX_SUGGESTION = 12, 300
# What every reader of JSON takes for the number it is. What is none compares with nothing.
LARGEST = 2**53


def limits_check(limits: Mapping[str, Any]) -> dict[str, Any]:
    """The limits that are set; None leaves one to the site.

    Raises:
        ValidationFailed: a name is unknown, or a value is no positive number or higher than the site's. ``details``
            names each.
    """
    problems = [{"path": name, "problem": problem} for name in limits if (problem := _problem(name, limits[name]))]
    if problems:
        raise ValidationFailed(problems[0]["problem"], details=problems)
    return {name: value for name, value in limits.items() if value is not None}


def _problem(name: str, value: Any) -> str:
    if name not in LIMITS:
        return _("There is no limit of that name: %(name)s.") % {"name": name}
    if value is None:
        return ""
    setting, is_whole = LIMITS[name]
    numbers = int if is_whole else (int, float)
    if isinstance(value, bool) or not isinstance(value, numbers) or not abs(value) <= LARGEST:
        return _("This must be a number.")
    if value <= 0:
        return _("This must be more than zero.")
    most = site_limit(name)
    if most is not None and value > most:
        return _("The site allows at most %(most)s (%(setting)s).") % {"most": f"{most:g}", "setting": setting}
    return ""


def site_limit(name: str) -> float | None:
    """The site's own limit; None where it sets none."""
    value: float | None = getattr(steward(), LIMITS[name][0])
    return value


def suggestions_check(lines: Sequence[str]) -> list[str]:
    """The suggestions, without empty ones, each once.

    Raises:
        ValidationFailed: there are too many, or one is too long.
    """
    found = list(dict.fromkeys(clean_text(line.strip()) for line in lines if line.strip()))
    if len(found) > MAX_SUGGESTIONS:
        raise ValidationFailed(_("At most %(most)s suggestions are shown.") % {"most": MAX_SUGGESTIONS})
    if any(len(line) > MAX_SUGGESTION for line in found):
        raise ValidationFailed(_("A suggestion may have at most %(most)s characters.") % {"most": MAX_SUGGESTION})
    return found


def tools_known(user: Any, *, locale: str) -> list[Tool]:
    """The tools that ``user`` may call, and so give to an agent; hidden ones left out; sorted by name."""
    caller = caller_of(user, locale=locale)
    tools = {tool.name: tool for toolset in loaded(steward().TOOLSETS) for tool in toolset().tools_for(caller)}
    return [tools[name] for name in sorted(tools)]
