"""Function middleware: what stands between a model's call and the tool."""

from django.utils.translation import gettext as _

from agentcore.agents.calls import FunctionCall
from agentcore.errors import PermissionDenied
from agentcore.middleware import Handler
from agentcore.tools import Effect, ToolResult


async def refuse_unapproved_effects(call: FunctionCall, call_next: Handler[FunctionCall, ToolResult]) -> ToolResult:
    """Let reading pass; refuse everything that changes something, since nobody was asked.

    Raises:
        PermissionDenied: the tool has an effect. It did not run.
    """
    if call.tool.effect is not Effect.READ:
        raise PermissionDenied(_("This action changes something, and nobody approved it."))
    return await call_next(call)
