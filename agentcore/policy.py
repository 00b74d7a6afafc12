"""The site's policy: what ``STEWARD["PERMISSIONS"]`` says of a tool's calls, whatever toolset the tool is of."""

from collections.abc import Sequence

from agentcore.conf import Policy, steward
from agentcore.tools import Effect, Tool

# Between the permissions of a tool, where they are one text.
SEPARATOR = ", "
STRICTEST_FIRST: tuple[Policy, ...] = ("deny", "confirm", "allow")


def policy_of(name: str, permissions: Sequence[str], effect: Effect) -> Policy:
    """What the site wants done with calls of a tool: its own name decides, else the strictest of its permissions.

    One that nobody listed is allowed where the tool only reads, and asks first where it has an effect.
    """
    listed = steward().PERMISSIONS
    if name in listed:
        return listed[name]
    unlisted: Policy = "allow" if effect is Effect.READ else "confirm"
    said = [listed.get(permission, unlisted) for permission in permissions] or [unlisted]
    return min(said, key=STRICTEST_FIRST.index)


def policy_of_tool(tool: Tool) -> Policy:
    """``policy_of`` of a tool as the loop sees it."""
    return policy_of(tool.name, tool.permission.split(SEPARATOR), tool.effect)
