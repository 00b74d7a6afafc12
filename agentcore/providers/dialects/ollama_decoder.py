"""What Ollama answers: a line for each piece, the last one with ``done`` and the counts."""

from typing import Any

from django.utils.translation import gettext as _

from agentcore.chat import ChatRequest, Finish, FinishReason, ModelEvent, ReasoningDelta, TextDelta
from agentcore.errors import OutputTruncated, ProviderBadResponse
from agentcore.messages import Usage
from agentcore.providers.dialects.calls import CallAssembler
from agentcore.providers.dialects.names import WireNames
from agentcore.providers.dialects.openai_usage import UsageMerger
from agentcore.providers.failures import failure_reported
from agentcore.providers.sse import SseEvent
from agentcore.providers.wire_json import read_json

# What ends an answer in which the model was only taken into memory, or out of it.
_NO_ANSWER = frozenset({"load", "unload"})


class OllamaDecoder:
    """Reads lines, or one whole answer, which is a line as well."""

    def __init__(self, request: ChatRequest) -> None:
        self.done = False
        self._names = WireNames.of(request)
        self._cap = request.options.max_output_tokens
        self._calls = CallAssembler()
        self._called = 0
        self._usage = UsageMerger()
        self._finish = ""
        self._said_anything = False

    def feed(self, event: SseEvent) -> list[ModelEvent]:
        if event.data.strip() == b"[DONE]":
            self.done = self._said_anything
            return []
        try:
            line = read_json(event.data)
        except ValueError:
            line = ProviderBadResponse
        if line is ProviderBadResponse:
            raise ProviderBadResponse()
        return self._read(line, named_error=event.name == "error")

    def whole(self, payload: Any) -> list[ModelEvent]:
        return self._read(payload, named_error=False)

    def usage(self) -> Usage | None:
        """Older servers leave out the count of a prompt that they remember: then nothing is known."""
        usage = self._usage.total()
        return usage if usage is not None and usage.input_tokens else None

    def end(self) -> list[ModelEvent]:
        if not self.done:
            raise ProviderBadResponse()
        if self._finish in _NO_ANSWER and not self._said_anything:
            raise ProviderBadResponse(_("The model was loaded, but did not answer. Please try again."))
        reason = FinishReason.LENGTH if self._finish == "length" else FinishReason.STOP
        if not self._calls:
            return [Finish(reason)]
        usage = self._usage.total()
        at_cap = self._cap is not None and usage is not None and usage.output_tokens == self._cap
        if reason is FinishReason.LENGTH or at_cap:
            raise OutputTruncated()
        # Whatever the server calls it.
        return [*self._calls.calls(self._names), Finish(FinishReason.TOOL_CALLS)]

    def _read(self, line: Any, *, named_error: bool) -> list[ModelEvent]:
        message = line.get("message") if isinstance(line, dict) else None
        suspect = not isinstance(message, dict) or "error" in line or named_error
        if suspect and (failure := failure_reported(line, named=named_error)) is not None:
            raise failure
        events = self._read_message(message) if isinstance(message, dict) else []
        if isinstance(line, dict) and ("done_reason" in line or "eval_count" in line or line.get("done") is True):
            self._read_counts(line)
        return events

    def _read_message(self, message: dict[str, Any]) -> list[ModelEvent]:
        events: list[ModelEvent] = []
        if (thought := message.get("thinking")) and isinstance(thought, str):
            events.append(ReasoningDelta(thought))
        if (text := message.get("content")) and isinstance(text, str):
            events.append(TextDelta(text))
        if calls := message.get("tool_calls"):
            self._add_calls(calls)
        self._said_anything = self._said_anything or bool(events or calls)
        return events

    def _read_counts(self, line: dict[str, Any]) -> None:
        counts = {"prompt_tokens": line.get("prompt_eval_count"), "completion_tokens": line.get("eval_count")}
        self._usage.add(counts)
        if line.get("done") is True:
            self.done = True
            self._finish = str(line.get("done_reason") or "")

    def _add_calls(self, calls: Any) -> None:
        """Each is whole, and only its place tells it from the one before."""
        for call in calls if isinstance(calls, list) else [calls]:
            function = call.get("function") if isinstance(call, dict) else None
            if isinstance(function, dict):
                call_id, name = call.get("id"), function.get("name")
                self._calls.add(
                    call_id=call_id if isinstance(call_id, str) else "",
                    index=self._called,
                    name=name if isinstance(name, str) else "",
                    arguments=function.get("arguments"),
                )
                self._called += 1
