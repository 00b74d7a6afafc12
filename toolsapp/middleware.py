"""Function middleware: what stands between a model's call and the tool."""

from django.utils.translation import gettext as _

from agentcore.agents.calls import FunctionCall
from agentcore.errors import PermissionDenied
from agentcore.middleware import Handler
from agentcore.policy import policy_of_tool
from agentcore.tools import ToolResult


async def refuse_unapproved_effects(call: FunctionCall, call_next: Handler[FunctionCall, ToolResult]) -> ToolResult:
    """Let pass what ``STEWARD["PERMISSIONS"]`` allows; refuse what wants a person's approval, since nobody was asked.

    Raises:
        PermissionDenied: the tool did not run.
    """
    match policy_of_tool(call.tool):
        case "deny":
            raise PermissionDenied
        case "confirm":
            raise PermissionDenied(_("This action needs a person's approval, and nobody approved it."))
    return await call_next(call)
