"""What both formats of OpenAI share: a stream of JSON, an end that needs evidence, a limit that cuts calls off."""

import logging
import re
from abc import ABC, abstractmethod
from typing import Any

from agentcore.chat import ChatRequest, FinishReason, ModelEvent
from agentcore.errors import OutputTruncated, ProviderBadResponse
from agentcore.messages import Usage
from agentcore.providers.dialects.names import WireNames
from agentcore.providers.dialects.openai_usage import UsageMerger
from agentcore.providers.failures import failure_reported
from agentcore.providers.sse import SseEvent
from agentcore.providers.wire_json import read_json

log = logging.getLogger(__name__)

# ``ping`` and its like; what has more to say is an answer, or an error, that was lost.
_WORD = re.compile(rb"[A-Za-z_-]{1,32}")


def bearer(api_key: str) -> dict[str, str]:
    """The headers of a key, which may be empty."""
    return {"Authorization": f"Bearer {api_key}"} if api_key else {}


class JsonEventDecoder(ABC):
    """The part of a decoder that knows nothing of what is said."""

    def __init__(self, request: ChatRequest) -> None:
        self.done = False
        self._names = WireNames.of(request)
        self._cap = request.options.max_output_tokens
        self._usage = UsageMerger()
        # A word that is no JSON keeps the connection, or is all that is left of an answer: the finish tells.
        self._saw_word = False

    def feed(self, event: SseEvent) -> list[ModelEvent]:
        data = event.data
        if data.strip() == b"[DONE]":
            self.done = True
            return []
        try:
            chunk = read_json(data)
        except ValueError:
            return self._feed_no_json(data, event.name)
        return self._read(chunk, event.name)

    @abstractmethod
    def _read(self, chunk: Any, name: str) -> list[ModelEvent]:
        """What ``chunk`` says; ``name`` is that of its event."""

    def _feed_no_json(self, data: bytes, name: str) -> list[ModelEvent]:
        """Several chunks that no blank line parts, a word that keeps the connection, or an error in plain words."""
        lines = data.split(b"\n")
        if name == "error":
            raise failure_reported(data.decode("utf-8", "replace"), named=True) or ProviderBadResponse()
        if len(lines) == 1:
            if not _WORD.fullmatch(data.strip()):
                raise ProviderBadResponse()
            self._saw_word = True
            return []
        return [event for line in lines if line for event in self.feed(SseEvent("", line))]

    def usage(self) -> Usage | None:
        return self._usage.total()

    def _require_evidence(self, *, said: bool) -> None:
        """Of an answer without a finish: that anything was ``said``, and in another way that it is over."""
        if not said or not self.done or self._saw_word:
            raise ProviderBadResponse()
        log.warning("A provider ended its stream without a finish reason.")

    def _refuse_truncated(self, reason: FinishReason) -> None:
        """Whatever the server calls it: an answer with calls that used all of its limit is cut off."""
        usage = self.usage()
        at_cap = self._cap is not None and usage is not None and usage.output_tokens == self._cap
        if reason is FinishReason.LENGTH or at_cap:
            raise OutputTruncated()


def texts(value: Any) -> list[str]:
    """The texts in a string, a part, or a list of parts."""
    if isinstance(value, str):
        return [value] if value else []
    if isinstance(value, dict):
        return texts(value.get("text"))
    return [text for part in value for text in texts(part)] if isinstance(value, list) else []
