"""A request as one route may see it: its own model, and no thinking of another one."""

from dataclasses import replace

from agentcore.chat import ChatRequest, Route
from agentcore.messages import Content, Message, ReasoningContent


def addressed(request: ChatRequest, route: Route) -> ChatRequest:
    """``request``, asked of the route's model. Thinking is tied to who thought it, and goes back to nobody else."""
    return replace(
        request, model=route.model, messages=tuple(_without_foreign(message, route) for message in request.messages)
    )


def _without_foreign(message: Message, route: Route) -> Message:
    if not any(_is_foreign(content, route) for content in message.contents):
        return message
    return replace(message, contents=tuple(item for item in message.contents if not _is_foreign(item, route)))


def _is_foreign(content: Content, route: Route) -> bool:
    return isinstance(content, ReasoningContent) and (content.provider_id, content.model) != (
        route.provider_id,
        route.model,
    )
