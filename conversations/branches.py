"""Branches: a conversation is a tree of messages, and a person sees one path through it."""

from collections.abc import Iterable, Mapping
from typing import Any, Protocol, TypeVar

from agentcore.errors import GuardrailBlocked
from agentcore.messages import Content, ErrorContent, Message, Role, Source, UsageContent


class Node(Protocol):
    """What a row, in a database or in memory, must have to stand on a branch."""

    @property
    def id(self) -> Any: ...

    @property
    def parent_id(self) -> Any: ...

    @property
    def run_id(self) -> Any: ...


N = TypeVar("N", bound=Node)


def path_to(leaf: Any, nodes: Mapping[Any, N]) -> list[N]:
    """The nodes from the root to the id ``leaf``, oldest first; empty when the leaf is unknown."""
    path: list[N] = []
    node = nodes.get(leaf)
    while node is not None and len(path) < len(nodes):
        path.append(node)
        node = nodes.get(node.parent_id)
    return path[::-1]


def before_run(run_id: Any, nodes: Iterable[N]) -> list[N]:
    """What was said before the run's own input, oldest first. ``nodes`` are ordered, oldest first.

    A run whose input is not stored follows the newest node.
    """
    by_id = {node.id: node for node in nodes}
    own = [node for node in by_id.values() if node.run_id == run_id]
    if own:
        return path_to(own[0].parent_id, by_id)
    return path_to(next(reversed(by_id), None), by_id)


def for_model(messages: Iterable[tuple[Any, Message]]) -> list[Message]:
    """Stored messages, as pairs with their run, as a model may read them: stamped, and without what is not for it.

    A turn that a guardrail blocked is seen by the person only. So is an error; a message of nothing else is left out.
    """
    pairs = list(messages)
    blocked = {run_id for run_id, message in pairs if any(map(_is_block, message.contents))}
    kept = [_readable(message) for run_id, message in pairs if run_id not in blocked]
    return [message for message in kept if message.contents]


def _is_block(content: Content) -> bool:
    return isinstance(content, ErrorContent) and content.code == GuardrailBlocked.code


def _readable(message: Message) -> Message:
    contents = tuple(item for item in message.contents if not isinstance(item, ErrorContent | UsageContent))
    return Message(
        id=message.id,
        role=Role(message.role),
        contents=contents,
        source=Source.CHAT_HISTORY,
        author_name=message.author_name,
    )
