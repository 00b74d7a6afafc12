"""Anthropic's Messages API, and what other servers call by that name.

Source: https://docs.anthropic.com/en/api/messages and https://docs.anthropic.com/en/api/messages-streaming
"""

import logging
import re
from typing import Any

from agentcore.chat import ChatRequest, Finish, FinishReason, ModelEvent
from agentcore.errors import OutputTruncated, ProviderBadResponse
from agentcore.messages import Usage
from agentcore.providers.dialects import Dialect
from agentcore.providers.dialects.anthropic_blocks import Blocks
from agentcore.providers.dialects.anthropic_messages import takes_picture
from agentcore.providers.dialects.anthropic_request import DEFAULT_MAX_TOKENS, encode
from agentcore.providers.dialects.anthropic_usage import UsageMerger
from agentcore.providers.dialects.names import WireNames
from agentcore.providers.dialects.openai_models import models
from agentcore.providers.failures import failure_reported
from agentcore.providers.sse import SseEvent
from agentcore.providers.wire_json import read_json

log = logging.getLogger(__name__)

VERSION = "2023-06-01"
# ``ping`` and its like, which some servers send as they are; what ends a stream of OpenAI's ends none here.
_WORD = re.compile(rb"[A-Za-z_-]{1,32}|\[DONE\]")

STOP_REASONS = {
    "end_turn": FinishReason.STOP,
    "stop_sequence": FinishReason.STOP,
    "tool_use": FinishReason.TOOL_CALLS,
    "max_tokens": FinishReason.LENGTH,
    "model_context_window_exceeded": FinishReason.LENGTH,
    # The server's own tools took long: there would be more, if it was asked to go on.
    "pause_turn": FinishReason.LENGTH,
    "refusal": FinishReason.CONTENT_FILTER,
}


def headers(api_key: str) -> dict[str, str]:
    return {"anthropic-version": VERSION} | ({"x-api-key": api_key} if api_key else {})


class AnthropicDecoder:
    """Reads the events of a message, or one whole message."""

    def __init__(self, request: ChatRequest) -> None:
        self.done = False
        self._names = WireNames.of(request)
        self._cap = request.options.max_output_tokens or DEFAULT_MAX_TOKENS
        self._blocks = Blocks()
        self._usage = UsageMerger()
        self._stop_reason = ""

    def feed(self, event: SseEvent) -> list[ModelEvent]:
        named_error = event.name == "error"
        try:
            payload = read_json(event.data)
        except ValueError:
            return self._feed_no_json(event.data, named_error)
        if not isinstance(payload, dict) or named_error or "error" in payload:
            _refuse(payload, named=named_error)
        return self._read(payload) if isinstance(payload, dict) else []

    def _feed_no_json(self, data: bytes, named_error: bool) -> list[ModelEvent]:
        """Several events that no blank line parts, a word that keeps the connection, or an error in plain words."""
        if named_error:
            raise failure_reported(data.decode("utf-8", "replace"), named=True) or ProviderBadResponse()
        lines = data.split(b"\n")
        if len(lines) == 1:
            if not _WORD.fullmatch(data.strip()):
                raise ProviderBadResponse()
            return []
        return [event for line in lines if line for event in self.feed(SseEvent("", line))]

    def whole(self, payload: Any) -> list[ModelEvent]:
        _refuse(payload)
        content = payload.get("content") if isinstance(payload, dict) else None
        if not isinstance(content, list):
            raise ProviderBadResponse()
        # A JSON value that closes is whole, with or without a stop reason.
        self.done = True
        self._stopped(payload)
        self._usage.add(payload.get("usage"))
        events = ([*self._blocks.start(at, block), *self._blocks.stop(at)] for at, block in enumerate(content))
        return [event for block in events for event in block]

    def usage(self) -> Usage | None:
        return self._usage.total()

    def end(self) -> list[ModelEvent]:
        if not self._stop_reason and not self.done:
            raise ProviderBadResponse()
        if not self._stop_reason:
            log.warning("A provider ended its message without a stop reason.")
        reason = STOP_REASONS.get(self._stop_reason, FinishReason.STOP)
        events = self._blocks.end()
        calls: list[ModelEvent] = []
        if self._blocks and reason is not FinishReason.CONTENT_FILTER:
            self._refuse_truncated(reason)
            calls += self._blocks.calls(self._names)
        if reason in {FinishReason.STOP, FinishReason.TOOL_CALLS}:
            reason = FinishReason.TOOL_CALLS if calls else FinishReason.STOP
        return [*events, *calls, Finish(reason)]

    def _refuse_truncated(self, reason: FinishReason) -> None:
        """Whatever the server calls it: an answer that used all of its limit is cut off.

        One that used more had another limit, of the option ``body``.
        """
        usage = self.usage()
        if reason is FinishReason.LENGTH or (usage is not None and usage.output_tokens == self._cap):
            raise OutputTruncated()

    def _read(self, event: dict[str, Any]) -> list[ModelEvent]:
        match event.get("type"):
            case "content_block_delta":
                return self._blocks.delta(event.get("index"), event.get("delta"))
            case "content_block_start":
                return self._blocks.start(event.get("index"), event.get("content_block"))
            case "content_block_stop":
                return self._blocks.stop(event.get("index"))
            case "message_start":
                self._usage.add(_object(event, "message").get("usage"))
            case "message_delta":
                self._stopped(_object(event, "delta"))
                self._usage.add(event.get("usage"))
            case "message_stop":
                self.done = True
            case "message":
                return self.whole(event)
            case kind if not isinstance(kind, str) or "error" in kind:
                _refuse(event)
        return []

    def _stopped(self, told: dict[str, Any]) -> None:
        if reason := told.get("stop_reason"):
            self._stop_reason = str(reason)


def _refuse(payload: Any, *, named: bool = False) -> None:
    """
    Raises:
        ProviderError: it is an error, wrapped or bare.
    """
    if (failure := failure_reported(payload, named=named)) is not None:
        raise failure


def _object(event: dict[str, Any], key: str) -> dict[str, Any]:
    value = event.get(key)
    return value if isinstance(value, dict) else {}


ANTHROPIC = Dialect(
    path="/v1/messages",
    models_path="/v1/models?limit=1000",
    default_base_url="https://api.anthropic.com",
    base_endings=("/v1",),
    headers=headers,
    encode=encode,
    decoder=AnthropicDecoder,
    models=models,
    takes_picture=takes_picture,
)
