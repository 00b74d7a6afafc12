"""Model text without the site's own keys: an upstream, or a tool's result that it repeats, may show one."""

from collections.abc import Callable
from dataclasses import replace

from agentcore.chat import ModelEvent, ReasoningDelta, TextDelta, ToolCall
from agentcore.ids import uuid7
from agentcore.redaction import Redactor


class SecretEmit:
    """An ``emit`` that takes stored credentials out of text, also where one is cut over several deltas.

    What may be the beginning of one waits for the next delta of its kind; ``flush`` lets go of what waits in vain,
    and so does every event of another kind.
    """

    def __init__(self, emit: Callable[[ModelEvent], None], redactor: Redactor) -> None:
        self._emit, self._redactor = emit, redactor
        self._held: TextDelta | ReasoningDelta | None = None

    def __call__(self, event: ModelEvent) -> None:
        if not isinstance(event, TextDelta | ReasoningDelta):
            self.flush()
            self._emit(self._with_safe_id(event) if isinstance(event, ToolCall) else event)
            return
        if self._held is not None and type(self._held) is not type(event):
            self.flush()
        text = (self._held.text if self._held else "") + event.text
        # Before anything is taken out: a whole credential may be the beginning of a longer one.
        opaque = event.opaque if isinstance(event, ReasoningDelta) else None
        # A token ends its block of thinking: nothing in it waits for what comes next.
        settled = len(text) if opaque else self._redactor.settled(text)
        self._held = type(event)(text[settled:]) if settled < len(text) else None
        shown = self._redactor.without_credentials(text[:settled])
        if opaque:
            self._emit(ReasoningDelta(shown, opaque))
        elif shown:
            self._emit(type(event)(shown))

    def _with_safe_id(self, call: ToolCall) -> ToolCall:
        """What a call says is its tool's business; its id is the upstream's own, and shown and stored as it is."""
        is_safe = self._redactor.without_credentials(call.call_id) == call.call_id
        return call if is_safe else replace(call, call_id=f"call_{uuid7().hex}")

    def flush(self) -> None:
        held, self._held = self._held, None
        if held is not None:
            self._emit(type(held)(self._redactor.without_credentials(held.text)))
