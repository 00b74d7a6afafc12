"""Messages as Anthropic takes them: turns of blocks that alternate, and begin and end with the user.

Source: https://docs.anthropic.com/en/api/messages#body-messages
"""

import json
import re
from collections.abc import Iterable
from typing import Any, TypeAlias

from agentcore.messages import (
    CallStatus,
    Content,
    DataContent,
    FunctionCallContent,
    FunctionResultContent,
    Message,
    Picture,
    ReasoningContent,
    Role,
    Source,
    TextContent,
    UriContent,
)
from agentcore.providers.dialects.anthropic_thinking import block_of
from agentcore.providers.dialects.names import WireNames
from agentcore.providers.dialects.openai_messages import result_text, stable_json

Block: TypeAlias = dict[str, Any]

CACHE_HERE = {"type": "ephemeral"}
_PICTURES = {"image/jpeg", "image/png", "image/gif", "image/webp"}
_UNMARKABLE = {"thinking", "redacted_thinking"}
# What the user's turn says where the API wants one and nobody spoke.
_GO_ON = "Continue."
_FORBIDDEN = re.compile(r"[^a-zA-Z0-9_-]")


def system_blocks(messages: Iterable[Message]) -> list[Block]:
    """What developers and admins say, which is no turn."""
    system = (message for message in messages if message.role is Role.SYSTEM)
    return [block for message in system for content in message.contents for block in _said(content)]


def encoded_messages(messages: Iterable[Message], names: WireNames, *, cache_markers: bool) -> list[dict[str, Any]]:
    """The turns. With ``cache_markers``, the ends of what comes again as it is are marked: at most two."""
    history = _History(names, cache_markers)
    for message in messages:
        if message.role is not Role.SYSTEM:
            history.add(message)
    return history.turns()


class _History:
    """Turns that grow message by message."""

    def __init__(self, names: WireNames, cache_markers: bool) -> None:
        self._names, self._cache_markers = names, cache_markers
        self._ids = _CallIds()
        self._turns: list[dict[str, Any]] = []
        self._in_context = False
        # The last block before what context providers wrote, which the next request will not hold.
        self._stable: Block | None = None

    def add(self, message: Message) -> None:
        is_context = message.source is Source.CONTEXT_PROVIDER
        if is_context and not self._in_context:
            self._stable = self._last()
        if role := self._added(message):
            # What was answered since belongs to this run, whose next request holds it all.
            self._in_context = is_context or (self._in_context and role == "user")

    def _added(self, message: Message) -> str:
        """The role of the turn that ``message`` went into; none when nothing of it is sent."""
        role = "assistant" if message.role is Role.ASSISTANT else "user"
        blocks = self._assistant(message) if role == "assistant" else self._user(message)
        if not blocks:
            return ""
        if not self._turns or self._turns[-1]["role"] != role:
            self._turns.append({"role": role, "content": []})
        self._turns[-1]["content"] += blocks
        return role

    def turns(self) -> list[dict[str, Any]]:
        if self._cache_markers:
            for block in (self._stable, None if self._in_context else self._last()):
                if block is not None:
                    block["cache_control"] = CACHE_HERE
        for turn in self._turns:
            # Results stand first in the turn that follows their calls.
            turn["content"].sort(key=lambda block: block["type"] != "tool_result")
        return _from_user_to_user(self._turns)

    def _last(self) -> Block | None:
        """The last block that can be marked."""
        blocks = (block for turn in reversed(self._turns) for block in reversed(turn["content"]))
        return next((block for block in blocks if block["type"] not in _UNMARKABLE), None)

    def _assistant(self, message: Message) -> list[Block]:
        """Thinking stands where it stood, among the calls that came one by one."""
        placed: list[tuple[float, Block]] = []
        place = 0.0
        called = 0
        for content in message.contents:
            if isinstance(content, ReasoningContent):
                if (thought := block_of(content)) is not None:
                    place = thought[0]
                    placed.append(thought)
            elif isinstance(content, FunctionCallContent):
                placed.append((called + 0.5, self._call(content)))
                called += 1
            elif isinstance(content, TextContent):
                placed += [(place, block) for block in _said(content)]
        return [block for _place, block in sorted(placed, key=lambda item: item[0])]

    def _call(self, call: FunctionCallContent) -> Block:
        return {
            "type": "tool_use",
            "id": self._ids.called(call.call_id),
            "name": self._names.to_wire(call.name),
            # Sorted, since a database may hand objects back in another order than they were sent in.
            "input": json.loads(stable_json(call.arguments)),
        }

    def _user(self, message: Message) -> list[Block]:
        results = [self._result(result) for result in message.results]
        return results or [block for content in message.contents for block in _said(content)]

    def _result(self, result: FunctionResultContent) -> Block:
        text = result_text(result)
        return {
            "type": "tool_result",
            "tool_use_id": self._ids.answered(result.call_id),
            **({"content": text} if text.strip() else {}),
            **({} if result.status is CallStatus.DONE else {"is_error": True}),
        }


class _CallIds:
    """Ids as the API takes them: of few characters, and none twice in a request. Those of other servers may differ."""

    def __init__(self) -> None:
        self._wire: dict[str, str] = {}
        self._taken: set[str] = set()

    def called(self, call_id: str) -> str:
        plain = wire = _FORBIDDEN.sub("_", call_id) or "call"
        number = 1
        while wire in self._taken:
            number += 1
            wire = f"{plain}_{number}"
        self._taken.add(wire)
        self._wire[call_id] = wire
        return wire

    def answered(self, call_id: str) -> str:
        """The id of the latest call that was called so."""
        return self._wire.get(call_id) or _FORBIDDEN.sub("_", call_id)


def _from_user_to_user(turns: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """With a turn of the user at both ends: an answer at the end would be a beginning to go on from."""
    speaks = {"role": "user", "content": [{"type": "text", "text": _GO_ON}]}
    before = [speaks] if turns and turns[0]["role"] != "user" else []
    after = [speaks] if turns and turns[-1]["role"] != "user" else []
    return [*before, *turns, *after]


def takes_picture(picture: Picture) -> bool:
    """A link to any, and the bytes of the formats that the API names."""
    return isinstance(picture, UriContent) or picture.media_type in _PICTURES


def _said(content: Content) -> list[Block]:
    """Text or a picture as blocks: none for text of blanks only, which is refused, and for what cannot be sent."""
    match content:
        case TextContent() if content.text.strip():
            return [{"type": "text", "text": content.text}]
        case DataContent() if takes_picture(content):
            return [_picture({"type": "base64", "media_type": content.media_type, "data": content.data})]
        case UriContent() if content.media_type.startswith("image/"):
            return [_picture({"type": "url", "url": content.uri})]
        case _:
            return []


def _picture(source: dict[str, str]) -> Block:
    return {"type": "image", "source": source}
