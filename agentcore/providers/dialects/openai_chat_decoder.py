"""Reads a chat completion, streamed or whole, as many servers spell it.

Source: https://platform.openai.com/docs/api-reference/chat-streaming
"""

import re
from typing import Any

from agentcore.chat import ChatRequest, Finish, FinishReason, ModelEvent, ReasoningDelta, TextDelta
from agentcore.errors import ProviderBadResponse
from agentcore.providers.dialects.calls import CallAssembler
from agentcore.providers.dialects.openai_signatures import signature_in
from agentcore.providers.dialects.openai_stream import JsonEventDecoder, texts
from agentcore.providers.failures import failure_reported, is_failed_finish

_DIGITS = re.compile(r"[0-9]{1,9}")

FINISH_REASONS = {
    "stop": FinishReason.STOP,
    "eos": FinishReason.STOP,
    "end_turn": FinishReason.STOP,
    "length": FinishReason.LENGTH,
    "max_tokens": FinishReason.LENGTH,
    "model_length": FinishReason.LENGTH,
    "model_context_window_exceeded": FinishReason.LENGTH,
    "tool_calls": FinishReason.TOOL_CALLS,
    "tool_use": FinishReason.TOOL_CALLS,
    "function_call": FinishReason.TOOL_CALLS,
    "content_filter": FinishReason.CONTENT_FILTER,
    "safety": FinishReason.CONTENT_FILTER,
    "sensitive": FinishReason.CONTENT_FILTER,
    "recitation": FinishReason.CONTENT_FILTER,
    "prohibited_content": FinishReason.CONTENT_FILTER,
    "guardrail_intervened": FinishReason.CONTENT_FILTER,
}
# The model wrote a call that its own server could not read.
BROKEN = frozenset({"malformed_function_call", "function_call_filter"})


class ChatDecoder(JsonEventDecoder):
    """Reads chunks, or one whole completion, of one choice: the first that comes."""

    def __init__(self, request: ChatRequest) -> None:
        super().__init__(request)
        self._calls = CallAssembler()
        self._finish = ""
        # Which choice is read.
        self._choice: Any = None
        # Some servers stream a ``message`` in place of a ``delta``.
        self._key = ""
        self._is_signed = False

    def whole(self, payload: Any) -> list[ModelEvent]:
        events = self._read_as(payload, "message", "")
        # A JSON value that closes is whole, with or without a finish reason; one without a choice is no answer.
        self.done = bool(payload.get("choices")) if isinstance(payload, dict) else False
        return events

    def end(self) -> list[ModelEvent]:
        if not self._finish:
            self._require_evidence(said=self._choice is not None)
        if _word(self._finish) in BROKEN:
            raise ProviderBadResponse()
        reason = FINISH_REASONS.get(_word(self._finish), FinishReason.STOP)
        calls: list[ModelEvent] = []
        if self._calls and reason is not FinishReason.CONTENT_FILTER:
            self._refuse_truncated(reason)
            calls += self._calls.calls(self._names)
        if reason in {FinishReason.STOP, FinishReason.TOOL_CALLS}:
            reason = FinishReason.TOOL_CALLS if calls else FinishReason.STOP
        return [*calls, Finish(reason)]

    def _read(self, chunk: Any, name: str) -> list[ModelEvent]:
        return self._read_as(chunk, "delta", name)

    def _read_as(self, chunk: Any, key: str, name: str) -> list[ModelEvent]:
        choices = chunk.get("choices") if isinstance(chunk, dict) else None
        choices = choices if isinstance(choices, list) else []
        if not _is_plain(chunk, choices, name) and (failure := failure_reported(chunk, named=name == "error")):
            raise failure
        if not isinstance(chunk, dict):
            return []
        if usage := chunk.get("usage"):
            self._usage.add(usage)
        if isinstance(extra := chunk.get("x_groq"), dict):
            self._read_extra(extra)
        if len(choices) == 1:
            return self._read_choice(choices[0], key)
        return [event for choice in choices for event in self._read_choice(choice, key)]

    def _read_choice(self, choice: Any, key: str) -> list[ModelEvent]:
        if not isinstance(choice, dict) or not self._is_ours(choice):
            return []
        if reason := choice.get("finish_reason"):
            self._finish = str(reason)
        if usage := choice.get("usage"):
            self._usage.add(usage)
        said = self._said(choice, key)
        if (error := said.get("error")) and (failure := failure_reported({"error": error})) is not None:
            raise failure
        if (calls := said.get("tool_calls")) or said.get("function_call"):
            self._add_calls(calls, said.get("function_call"), whole=key == "message")
        events: list[ModelEvent] = []
        if calls and not self._is_signed and (signature := signature_in(calls)):
            self._is_signed = True
            events.append(ReasoningDelta("", signature))
        if thought := said.get("reasoning_content") or said.get("reasoning"):
            events += [ReasoningDelta(text) for text in texts(thought)]
        elif details := said.get("reasoning_details"):
            events += [ReasoningDelta(text) for text in _details(details)]
        if content := said.get("content") or said.get("refusal"):
            _add_content(content, events)
        return events

    def _read_extra(self, extra: dict[str, Any]) -> None:
        """Groq's own field: usage, and why a stream ended early."""
        self._usage.add(extra.get("usage"))
        if (failure := failure_reported({"error": extra.get("error")})) is not None:
            raise failure

    def _is_ours(self, choice: dict[str, Any]) -> bool:
        """Whether the choice is the one that is read; servers that know only one do not number it."""
        number = choice.get("index") or 0
        if self._choice is None:
            self._choice = number
        return bool(number == self._choice)

    def _said(self, choice: dict[str, Any], key: str) -> dict[str, Any]:
        """What the choice says. A whole message behind deltas only repeats them."""
        if self._key == key:
            said = choice.get(key)
            return said if isinstance(said, dict) else {}
        for name in (key, "message"):
            said = choice.get(name)
            if isinstance(said, dict) and any(said.values()) and self._key in {"", name}:
                self._key = name if any(said[field] for field in said.keys() - {"role"}) else self._key
                return said
        # An older kind of completion has only text.
        return {"content": choice.get("text")}

    def _add_calls(self, calls: Any, legacy: Any, *, whole: bool) -> None:
        items = [call for call in (calls if isinstance(calls, list) else [calls]) if isinstance(call, dict)]
        for number, call in enumerate(items):
            index = number if whole else _index(call.get("index"))
            if index is None and len(items) > 1:
                # In one chunk the place tells calls apart that nothing else does.
                index = number
            self._add_call(call, index, call.get("function"))
        if isinstance(legacy, dict):
            self._add_call({}, None, legacy)

    def _add_call(self, call: dict[str, Any], index: int | None, function: Any) -> None:
        function = function if isinstance(function, dict) else {}
        self._calls.add(
            call_id=_text(call.get("id")),
            index=index,
            name=_text(function.get("name")),
            arguments=function.get("arguments"),
        )


def _word(finish: str) -> str:
    """A finish reason without its details: Gemini says ``content_filter: PROHIBITED_CONTENT``."""
    return finish.lower().split(":")[0].strip()


def _is_plain(chunk: Any, choices: list[Any], name: str) -> bool:
    """Whether a chunk holds a choice and no error; of the others, a closer look tells."""
    if not choices or name == "error" or chunk.get("error") or not isinstance(first := choices[0], dict):
        return False
    return not first.get("error") and not is_failed_finish(first.get("finish_reason"))


def _index(value: Any) -> int | None:
    if isinstance(value, str):
        return int(value) if _DIGITS.fullmatch(value) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _details(details: Any) -> list[str]:
    """The thinking in OpenRouter's details; what is encrypted in them is not for us."""
    given = details if isinstance(details, list) else [details]
    return [
        text
        for detail in given
        if isinstance(detail, dict)
        for text in texts(detail.get("text") or detail.get("summary"))
    ]


def _add_content(content: Any, events: list[ModelEvent]) -> None:
    """Text, or parts of which some may be the model's thinking."""
    if isinstance(content, str):
        events.append(TextDelta(content))
        return
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, dict) and part.get("thinking"):
            events += [ReasoningDelta(text) for text in texts(part["thinking"])]
        else:
            events += [TextDelta(text) for text in texts(part)]
