"""The content blocks of an Anthropic answer, assembled while they arrive, perhaps several at once."""

import json
from dataclasses import dataclass, field
from typing import Any

from agentcore.chat import ModelEvent, ReasoningDelta, TextDelta, ToolCall
from agentcore.errors import ProviderBadResponse
from agentcore.providers.dialects.anthropic_thinking import token_of
from agentcore.providers.dialects.calls import OpenCall, whole_calls
from agentcore.providers.dialects.names import WireNames

# The tool whose input is the answer, where the model could not be bound to a schema otherwise.
ANSWER_TOOL = "structured_answer"


@dataclass
class _Block:
    """A block that is still arriving; ``call`` is what a ``tool_use`` block becomes."""

    kind: str
    calls_before: int
    texts: list[str] = field(default_factory=list)
    signature: str = ""
    call: OpenCall | None = None

    def sign(self, signature: Any) -> None:
        """A signature comes whole; an empty one is none."""
        if signature and isinstance(signature, str):
            self.signature = signature

    def closed(self) -> list[ModelEvent]:
        """The token that ends a block of thinking, once; one without a signature has none."""
        block = {"type": self.kind, "thinking": "".join(self.texts), "signature": self.signature}
        token = token_of(block, calls_before=self.calls_before) if self.kind == "thinking" else None
        self.signature = ""
        return [ReasoningDelta("", token)] if token else []


class Blocks:
    """Feed it the starts, deltas and stops; blocks of a kind that nobody here knows are passed over."""

    def __init__(self) -> None:
        self._by_index: dict[Any, _Block] = {}
        self._newest: _Block | None = None
        self._calls: list[OpenCall] = []

    def __bool__(self) -> bool:
        """Whether there are calls."""
        return bool(self._calls)

    def start(self, index: Any, given: Any) -> list[ModelEvent]:
        """A block that begins, or that came whole. An index that is used again is a new block's."""
        if not isinstance(given, dict):
            return []
        ended = self.stop(index) if _key(index) in self._by_index else []
        block = _Block(str(given.get("type")), len(self._calls))
        self._by_index[_key(index)] = self._newest = block
        match block.kind:
            case "text":
                return [*ended, *_text(given)]
            case "thinking":
                block.sign(given.get("signature"))
                return [*ended, *_thought(block, given)]
            case "redacted_thinking":
                token = token_of(given, calls_before=block.calls_before)
                return [*ended, ReasoningDelta("", token)] if token else ended
            case "tool_use" if given.get("name") == ANSWER_TOOL:
                block.kind = ANSWER_TOOL
                return [*ended, *_answer(given.get("input"))]
            case "tool_use":
                block.call = _call(given)
                self._calls.append(block.call)
        return ended

    def delta(self, index: Any, given: Any) -> list[ModelEvent]:
        """
        Raises:
            ProviderBadResponse: it belongs to a call that never began.
        """
        if not isinstance(given, dict):
            return []
        match given.get("type"):
            case "text_delta":
                return _text(given)
            case "thinking_delta":
                return _thought(self._at(index, "thinking"), given)
            case "signature_delta":
                self._at(index, "thinking").sign(given.get("signature"))
            case "input_json_delta":
                return self._add_input(index, given.get("partial_json"))
        return []

    def stop(self, index: Any) -> list[ModelEvent]:
        block = self._by_index.get(_key(index), self._newest)
        return block.closed() if block else []

    def end(self) -> list[ModelEvent]:
        """The tokens of blocks that nobody stopped, in an answer that is whole all the same."""
        return [event for block in self._by_index.values() for event in block.closed()]

    def calls(self, names: WireNames) -> list[ToolCall]:
        """The whole calls.

        Raises:
            OutputTruncated: the arguments of one of them were cut off.
            ProviderBadResponse: they are no JSON object, a call has no name, or there are too many calls.
        """
        return [call for calls in whole_calls(self._calls, names) for call in calls]

    def _at(self, index: Any, kind: str) -> _Block:
        """The block that a delta belongs to: without an index the newest one, and a new one where none began."""
        block = self._by_index.get(_key(index), self._newest)
        if block is None or block.kind != kind:
            self._by_index[_key(index)] = self._newest = block = _Block(kind, len(self._calls))
        return block

    def _add_input(self, index: Any, piece: Any) -> list[ModelEvent]:
        block = self._by_index.get(_key(index), self._newest)
        if block is None:
            raise ProviderBadResponse()
        if block.kind == ANSWER_TOOL:
            return _answer(piece)
        # Else it is the input of a tool that runs at the server.
        if block.call is not None and piece:
            _add_arguments(block.call, piece)
        return []


def _key(index: Any) -> int | str | None:
    return index if isinstance(index, int | str) else None


def _text(given: dict[str, Any]) -> list[ModelEvent]:
    text = given.get("text")
    return [TextDelta(text)] if text and isinstance(text, str) else []


def _answer(piece: Any) -> list[ModelEvent]:
    """The answer that is a tool's input, as the text that it is."""
    text = json.dumps(piece, ensure_ascii=False) if isinstance(piece, dict) and piece else piece
    return [TextDelta(text)] if text and isinstance(text, str) else []


def _thought(block: _Block, given: dict[str, Any]) -> list[ModelEvent]:
    text = given.get("thinking")
    if not text or not isinstance(text, str):
        return []
    block.texts.append(text)
    return [ReasoningDelta(text)]


def _call(given: dict[str, Any]) -> OpenCall:
    call_id, name = given.get("id"), given.get("name")
    call = OpenCall(call_id=call_id if isinstance(call_id, str) else "", name=name if isinstance(name, str) else "")
    if arguments := given.get("input"):
        _add_arguments(call, arguments)
    return call


def _add_arguments(call: OpenCall, piece: Any) -> None:
    """A piece of their text, or all of them as an object; text that follows an object says them again."""
    if isinstance(piece, str):
        call.objects.clear()
        call.text.append(piece)
    elif isinstance(piece, dict):
        call.objects = [piece]
    else:
        raise ProviderBadResponse()
