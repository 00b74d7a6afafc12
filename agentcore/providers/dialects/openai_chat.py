"""OpenAI chat completions, and what many servers call compatible with it.

Source: https://platform.openai.com/docs/api-reference/chat
"""

import json
import logging
import re
from typing import Any

from agentcore.chat import (
    ChatRequest,
    Finish,
    FinishReason,
    ModelEvent,
    ReasoningDelta,
    TextDelta,
    ToolChoice,
)
from agentcore.errors import OutputTruncated, ProviderBadResponse
from agentcore.messages import Usage
from agentcore.providers.dialects import Dialect
from agentcore.providers.dialects.calls import CallAssembler
from agentcore.providers.dialects.names import WireNames
from agentcore.providers.dialects.openai_messages import encoded_messages
from agentcore.providers.dialects.openai_models import models
from agentcore.providers.dialects.openai_usage import UsageMerger
from agentcore.providers.failures import failure_reported
from agentcore.providers.profile import Target
from agentcore.providers.sse import SseEvent

log = logging.getLogger(__name__)

_DIGITS = re.compile(r"[0-9]{1,9}")
# ``ping`` and its like; what has more to say is an answer, or an error, that was lost.
_WORD = re.compile(rb"[A-Za-z_-]{1,32}")

FINISH_REASONS = {
    "stop": FinishReason.STOP,
    "eos": FinishReason.STOP,
    "end_turn": FinishReason.STOP,
    "length": FinishReason.LENGTH,
    "max_tokens": FinishReason.LENGTH,
    "model_length": FinishReason.LENGTH,
    "tool_calls": FinishReason.TOOL_CALLS,
    "tool_use": FinishReason.TOOL_CALLS,
    "function_call": FinishReason.TOOL_CALLS,
    "content_filter": FinishReason.CONTENT_FILTER,
    "safety": FinishReason.CONTENT_FILTER,
}


def encode(request: ChatRequest, target: Target) -> dict[str, Any]:
    """The request body; the option ``body`` is laid over it.

    The prefix is stable: tools are sorted, and the definitions stay when none may be called, since the history may
    hold calls of them.
    """
    names = WireNames.of(request)
    body: dict[str, Any] = {
        "model": request.model,
        "messages": encoded_messages(request.messages, names),
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if request.tools:
        body["tools"] = [
            {
                "type": "function",
                "function": {
                    "name": names.to_wire(tool.name),
                    "description": tool.description,
                    "parameters": tool.parameters,
                },
            }
            for tool in sorted(request.tools, key=lambda tool: tool.name)
        ]
        if request.options.tool_choice is not ToolChoice.AUTO:
            body["tool_choice"] = request.options.tool_choice.value
    if request.options.max_output_tokens is not None:
        body[target.profile.max_tokens_field] = request.options.max_output_tokens
    if request.options.temperature is not None:
        body["temperature"] = request.options.temperature
    return {key: value for key, value in (body | target.options.get("body", {})).items() if value is not None}


def headers(api_key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {api_key}"} if api_key else {}


class OpenAIChatDecoder:
    """Reads chunks, or one whole completion, of the first choice."""

    def __init__(self, request: ChatRequest) -> None:
        self.done = False
        self._names = WireNames.of(request)
        self._cap = request.options.max_output_tokens
        self._calls = CallAssembler()
        self._usage = UsageMerger()
        self._finish = ""
        # A word that is no JSON keeps the connection, or is all that is left of an answer: the finish reason tells.
        self._saw_word = False
        # Some servers stream a ``message`` in place of a ``delta``.
        self._key = ""

    def feed(self, event: SseEvent) -> list[ModelEvent]:
        data = event.data
        if data.strip() == b"[DONE]":
            self.done = True
            return []
        named_error = event.name == "error"
        try:
            chunk = json.loads(data.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            return self._feed_no_json(data, named_error)
        return self._read(chunk, "delta", named_error=named_error)

    def _feed_no_json(self, data: bytes, named_error: bool) -> list[ModelEvent]:
        """Several chunks that no blank line parts, a word that keeps the connection, or an error in plain words."""
        lines = data.split(b"\n")
        if named_error:
            raise failure_reported(data.decode("utf-8", "replace"), named=True) or ProviderBadResponse()
        if len(lines) == 1:
            if not _WORD.fullmatch(data.strip()):
                raise ProviderBadResponse()
            self._saw_word = True
            return []
        return [event for line in lines if line for event in self.feed(SseEvent("", line))]

    def whole(self, payload: Any) -> list[ModelEvent]:
        events = self._read(payload, "message", named_error=False)
        # A JSON value that closes is whole, with or without a finish reason; one without a choice is no answer.
        self.done = bool(payload.get("choices")) if isinstance(payload, dict) else False
        return events

    def usage(self) -> Usage | None:
        return self._usage.total()

    def end(self) -> list[ModelEvent]:
        if not self._finish and (not self.done or self._saw_word):
            raise ProviderBadResponse()
        if not self._finish:
            log.warning("A provider ended its stream without a finish reason.")
        reason = FINISH_REASONS.get(self._finish.lower(), FinishReason.STOP)
        calls: list[ModelEvent] = []
        if self._calls and reason is not FinishReason.CONTENT_FILTER:
            self._refuse_truncated(reason)
            calls += self._calls.calls(self._names)
        if reason in {FinishReason.STOP, FinishReason.TOOL_CALLS}:
            reason = FinishReason.TOOL_CALLS if calls else FinishReason.STOP
        return [*calls, Finish(reason)]

    def _refuse_truncated(self, reason: FinishReason) -> None:
        """Whatever the server calls it: an answer that used all of its limit is cut off."""
        usage = self.usage()
        at_cap = self._cap is not None and usage is not None and usage.output_tokens >= self._cap
        if reason is FinishReason.LENGTH or at_cap:
            raise OutputTruncated()

    def _read(self, chunk: Any, key: str, *, named_error: bool) -> list[ModelEvent]:
        if (failure := failure_reported(chunk, named=named_error)) is not None:
            raise failure
        if not isinstance(chunk, dict):
            return []
        self._usage.add(chunk.get("usage"))
        choices = chunk.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        return self._read_choice(choice, key) if isinstance(choice, dict) else []

    def _read_choice(self, choice: dict[str, Any], key: str) -> list[ModelEvent]:
        if reason := choice.get("finish_reason"):
            self._finish = str(reason)
        self._usage.add(choice.get("usage"))
        said = self._said(choice, key)
        if (calls := said.get("tool_calls")) or said.get("function_call"):
            self._add_calls(calls, said.get("function_call"), whole=key == "message")
        events: list[ModelEvent] = []
        if thought := said.get("reasoning_content") or said.get("reasoning"):
            events += [ReasoningDelta(text) for text in _texts(thought)]
        if content := said.get("content") or said.get("refusal"):
            _add_content(content, events)
        return events

    def _said(self, choice: dict[str, Any], key: str) -> dict[str, Any]:
        """What the choice says. A whole message behind deltas only repeats them."""
        for name in (key, "message"):
            said = choice.get(name)
            if isinstance(said, dict) and any(said.values()) and self._key in {"", name}:
                self._key = name if any(said[field] for field in said.keys() - {"role"}) else self._key
                return said
        return {}

    def _add_calls(self, calls: Any, legacy: Any, *, whole: bool) -> None:
        items = [call for call in (calls if isinstance(calls, list) else [calls]) if isinstance(call, dict)]
        for number, call in enumerate(items):
            index = number if whole else _index(call.get("index"))
            if index is None and len(items) > 1:
                # In one chunk the place tells calls apart that nothing else does.
                index = number
            self._add_call(call.get("id"), index, call.get("function"))
        if isinstance(legacy, dict):
            self._add_call(None, None, legacy)

    def _add_call(self, call_id: Any, index: int | None, function: Any) -> None:
        function = function if isinstance(function, dict) else {}
        self._calls.add(
            call_id=call_id if isinstance(call_id, str) else "",
            index=index,
            name=_text(function.get("name")),
            arguments=function.get("arguments"),
        )


def _index(value: Any) -> int | None:
    if isinstance(value, str):
        return int(value) if _DIGITS.fullmatch(value) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: Any) -> list[str]:
    """The texts in a string, a part, or a list of parts."""
    if isinstance(value, str):
        return [value] if value else []
    if isinstance(value, dict):
        return _texts(value.get("text"))
    return [text for part in value for text in _texts(part)] if isinstance(value, list) else []


def _add_content(content: Any, events: list[ModelEvent]) -> None:
    """Text, or parts of which some may be the model's thinking."""
    if isinstance(content, str):
        events.append(TextDelta(content))
        return
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, dict) and part.get("thinking"):
            events += [ReasoningDelta(text) for text in _texts(part["thinking"])]
        else:
            events += [TextDelta(text) for text in _texts(part)]


OPENAI_CHAT = Dialect(
    path="/chat/completions",
    models_path="/models",
    default_base_url="https://api.openai.com/v1",
    headers=headers,
    encode=encode,
    decoder=OpenAIChatDecoder,
    models=models,
)
