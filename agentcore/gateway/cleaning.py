"""Cleaning model events as they pass: after this point screen, event and row hold the same text."""

from collections.abc import Callable
from typing import cast

from agentcore.chat import ModelEvent, ReasoningDelta, TextDelta, ToolCall
from agentcore.errors import ProviderBadResponse
from agentcore.text import clean_json, clean_text


class CleanEmit:
    """An ``emit`` that passes only storable text on.

    A character outside the basic plane may arrive as two halves in two deltas: the first half waits for the next
    delta of its kind. ``flush`` lets go of one that waits in vain; every event of another kind does so too.
    """

    def __init__(self, emit: Callable[[ModelEvent], None]) -> None:
        self._emit = emit
        self._half: TextDelta | ReasoningDelta | None = None

    def __call__(self, event: ModelEvent) -> None:
        kind = type(event)
        if kind is TextDelta or kind is ReasoningDelta:
            self._pass_text(cast(TextDelta | ReasoningDelta, event))
            return
        self.flush()
        self._emit(_cleaned_call(event) if isinstance(event, ToolCall) else event)

    def flush(self) -> None:
        if self._half is not None:
            half, self._half = self._half, None
            self._emit(_with_text(half, clean_text(half.text)))

    def _pass_text(self, event: TextDelta | ReasoningDelta) -> None:
        text = event.text
        if isinstance(event, ReasoningDelta) and event.opaque is not None:
            event = ReasoningDelta(text, clean_text(event.opaque))
        if self._half is None and text.isascii() and "\x00" not in text:
            self._emit(event)
            return
        if self._half is not None:
            if type(self._half) is type(event):
                text, self._half = self._half.text + text, None
            else:
                self.flush()
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._half = text[:-1], _with_text(event, text[-1])
        if text or (isinstance(event, ReasoningDelta) and event.opaque):
            self._emit(_with_text(event, clean_text(text)))


def _with_text(event: TextDelta | ReasoningDelta, text: str) -> TextDelta | ReasoningDelta:
    return TextDelta(text) if isinstance(event, TextDelta) else ReasoningDelta(text, event.opaque)


def _cleaned_call(call: ToolCall) -> ToolCall:
    try:
        arguments = cast(dict[str, object], clean_json(call.arguments))
    except RecursionError:
        raise ProviderBadResponse() from None
    return ToolCall(clean_text(call.call_id), clean_text(call.name), arguments)
