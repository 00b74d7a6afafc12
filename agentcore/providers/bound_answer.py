"""An answer that is bound to a schema, ``{"answer": text}`` or ``{"calls": […]}``, read while it streams."""

import json
import re
from typing import Any

from agentcore.chat import Finish, FinishReason, ModelEvent, TextDelta, ToolCall
from agentcore.errors import OutputTruncated, ProviderBadResponse
from agentcore.providers.dialects.calls import CallAssembler
from agentcore.providers.dialects.names import WireNames
from agentcore.providers.estimate import compact_json
from agentcore.text import clean_text

# Some models put a fence around what they were told to write bare.
_FENCE = r"\s*(?:```(?:json)?\s*)?"
_ANSWER = re.compile(_FENCE + r'\{\s*"answer"\s*:\s*"')
_CALLS = re.compile(_FENCE + r'\{\s*"calls"\s*:')
# Longer than all that may come before the first letter of an answer.
_UNDECIDED = 200

# What of a JSON string is whole, wherever it was cut: no half of an escape, and not the first half of a pair of them.
_WHOLE = re.compile(
    r"""(?: [^"\\]+
          | \\u[dD][89abAB][0-9a-fA-F]{2} (?: \\u[0-9a-fA-F]{4} | (?= [^\\] | \\[^u] ) )
          | \\u(?![dD][89abAB])[0-9a-fA-F]{4}
          | \\u(?= [0-9a-fA-F]{0,3} [^0-9a-fA-F] )
          | \\[^u] )*""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_SHORT = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


class BoundAnswer:
    """Feed it text cut anywhere: it gives what of the answer is for the person, and in the end the calls."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._decided = self._is_plain = False
        # The string of the answer, while it arrives; None where there is none, or it has ended.
        self._string: str | None = None
        self._said = False

    def feed(self, piece: str) -> str:
        """What may be shown now: of JSON the string of the answer, and whatever is no JSON as it is."""
        self._text.append(piece)
        if not self._decided:
            piece = self._decide()
        if self._is_plain:
            return piece
        return self._more(piece) if self._string is not None else ""

    def _decide(self) -> str:
        """Find out what it is; the piece of it that is still to be read."""
        text = "".join(self._text)
        if found := _ANSWER.match(text):
            self._decided, self._string = True, ""
            return text[found.end() :]
        start = text.lstrip()[:1]
        self._is_plain = start not in {"", "{", "`"}
        self._decided = self._is_plain or len(text) > _UNDECIDED
        return text

    def _more(self, piece: str) -> str:
        arrived = f"{self._string}{piece}"
        whole = _WHOLE.match(arrived)
        end = whole.end() if whole else 0
        self._string = None if arrived[end : end + 1] == '"' else arrived[end:]
        said = clean_text(_ESCAPE.sub(_unescaped, arrived[:end]))
        self._said = self._said or bool(said)
        return said

    def end(self, reason: FinishReason) -> list[ModelEvent]:
        """What is left to say, the calls, and the finish.

        Raises:
            OutputTruncated: calls had begun, and the answer was cut off.
            ProviderBadResponse: the calls are none that can be understood.
        """
        if self._is_plain:
            return [Finish(reason)]
        text = "".join(self._text)
        value = _object_in(text)
        calls = value.get("calls") if value is not None else None
        if calls or (value is None and _CALLS.match(text)):
            if reason is FinishReason.CONTENT_FILTER:
                return [Finish(reason)]
            if value is None or reason is FinishReason.LENGTH:
                raise OutputTruncated()
        is_cut = value is None and (_ANSWER.match(text) or (reason is FinishReason.LENGTH and "{" in text))
        left = [] if self._said or is_cut else _left_to_say(text, value)
        if not calls:
            return [*left, Finish(FinishReason.STOP if reason is FinishReason.TOOL_CALLS else reason)]
        return [*left, *_calls_of(calls), Finish(FinishReason.TOOL_CALLS)]


def _unescaped(escape: re.Match[str]) -> str:
    return chr(int(escape[1], 16)) if escape[1] else _SHORT.get(escape[2], escape[2])


def _object_in(text: str) -> dict[str, Any] | None:
    start = text.find("{")
    try:
        value, _end = json.JSONDecoder(strict=False).raw_decode(text, max(start, 0))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _left_to_say(text: str, value: dict[str, Any] | None) -> list[ModelEvent]:
    """An answer that could not be shown while it came; what is no answer at all is shown as it is."""
    if value is not None and "answer" in value:
        answer = value["answer"]
        text = answer if isinstance(answer, str) else compact_json(answer)
    elif value is not None and "calls" in value:
        text = ""
    return [TextDelta(clean_text(text))] if text else []


def _calls_of(calls: Any) -> list[ToolCall]:
    assembler = CallAssembler()
    for number, call in enumerate(calls if isinstance(calls, list) else [calls]):
        if not isinstance(call, dict) or not isinstance(call.get("tool"), str):
            raise ProviderBadResponse()
        assembler.add(index=number, name=call["tool"], arguments=call.get("arguments"))
    return assembler.calls(WireNames([]))
