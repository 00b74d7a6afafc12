"""Reads a response of OpenAI's Responses API, streamed or whole.

Source: https://platform.openai.com/docs/api-reference/responses-streaming
"""

from typing import Any

from agentcore.chat import ChatRequest, Finish, FinishReason, ModelEvent, ReasoningDelta, TextDelta
from agentcore.errors import OutputTruncated, ProviderBadResponse, ProviderUnavailable
from agentcore.providers.dialects.calls import called
from agentcore.providers.dialects.openai_output import CALL, MESSAGE, REASONING, OutputItem, OutputItems, token_of
from agentcore.providers.dialects.openai_stream import JsonEventDecoder, texts
from agentcore.providers.failures import failure_reported

# Of which kind of item an event tells a piece, and what numbers its part.
_PIECES = {
    "response.output_text.delta": (MESSAGE, "content_index"),
    "response.refusal.delta": (MESSAGE, "content_index"),
    "response.reasoning_summary_text.delta": (REASONING, "summary_index"),
    "response.reasoning_text.delta": (REASONING, "content_index"),
}
# The same for parts that are whole, and the field that holds them.
_WHOLE_PARTS = {
    "response.output_text.done": (MESSAGE, "content_index", "text"),
    "response.refusal.done": (MESSAGE, "content_index", "refusal"),
    "response.content_part.done": (None, "content_index", "part"),
    "response.reasoning_summary_text.done": (REASONING, "summary_index", "text"),
    "response.reasoning_summary_part.done": (REASONING, "summary_index", "part"),
    "response.reasoning_text.done": (REASONING, "content_index", "text"),
}
_ITEMS = frozenset({"response.output_item.added", "response.output_item.done"})
_ARGUMENTS = frozenset({"response.function_call_arguments.delta", "response.function_call_arguments.done"})
# The event that ends a response, and the status that it has if it does not say.
_ENDS = {
    "response.completed": "completed",
    "response.done": "completed",
    "response.incomplete": "incomplete",
    "response.failed": "failed",
    "response.cancelled": "cancelled",
}


class ResponsesDecoder(JsonEventDecoder):
    """Knows each item by its id, its place or its kind, whichever a server tells, and says nothing of it twice.

    A token of thinking comes directly before what the thinking led to, since the API takes none without it: before the
    text of a message, or with the calls at the end.
    """

    def __init__(self, request: ChatRequest) -> None:
        super().__init__(request)
        self._items = OutputItems()
        self._finish: FinishReason | None = None
        # Tokens of thinking whose outcome has not come yet.
        self._leads: list[str] = []

    def whole(self, payload: Any) -> list[ModelEvent]:
        if (failure := failure_reported(payload)) is not None:
            raise failure
        response = payload if isinstance(payload, dict) else {}
        # Some servers wrap it as the event that ends a stream does.
        inner = response.get("response")
        response = inner if isinstance(inner, dict) else response
        return self._read_end(response, "completed" if isinstance(response.get("output"), list) else "")

    def end(self) -> list[ModelEvent]:
        if self._finish is None:
            self._require_evidence(said=bool(self._items))
        reason = self._finish or FinishReason.STOP
        calls: list[ModelEvent] = []
        items = self._items.calls
        if items and reason is not FinishReason.CONTENT_FILTER:
            self._refuse_truncated(reason)
            if any(item.is_cut_off for item in items):
                raise OutputTruncated()
            calls = called([item.call for item in items], self._names)
        return [*calls, Finish(FinishReason.TOOL_CALLS if calls else reason)]

    def _read(self, chunk: Any, name: str) -> list[ModelEvent]:
        kind = (chunk.get("type") or name) if isinstance(chunk, dict) else None
        if isinstance(kind, str) and kind in _PIECES and not chunk.get("error"):
            return self._read_piece(chunk, *_PIECES[kind])
        if not (isinstance(kind, str) and kind in _ENDS):
            if (failure := failure_reported(chunk, named=name == "error")) is not None:
                raise failure
            if isinstance(response := chunk.get("response") if isinstance(chunk, dict) else None, dict):
                self._usage.add(response.get("usage"))
        return self._read_other(chunk, kind) if isinstance(kind, str) else []

    def _read_other(self, chunk: dict[str, Any], kind: str) -> list[ModelEvent]:
        if kind in _ENDS:
            response = chunk.get("response")
            return self._read_end(response if isinstance(response, dict) else chunk, _ENDS[kind])
        if kind in _ITEMS:
            given = chunk.get("item")
            return self._read_item(chunk, given, kind) if isinstance(given, dict) else []
        if kind in _ARGUMENTS:
            self._read_arguments(chunk)
        if kind in _WHOLE_PARTS:
            return self._read_part(chunk, *_WHOLE_PARTS[kind])
        return []

    def _read_piece(self, chunk: dict[str, Any], of: str, key: str) -> list[ModelEvent]:
        item = self._items.of(of, chunk.get("item_id"), chunk.get("output_index"))
        piece = chunk.get("delta")
        return self._say(item, _place(chunk, key), piece if isinstance(piece, str) else "".join(texts(piece)))

    def _read_part(self, chunk: dict[str, Any], of: str | None, key: str, field: str) -> list[ModelEvent]:
        """A part that is whole: what of it was not said yet."""
        part = chunk.get(field)
        thought = isinstance(part, dict) and part.get("type") in ("reasoning_text", "summary_text")
        item = self._items.of(
            of or (REASONING if thought else MESSAGE), chunk.get("item_id"), chunk.get("output_index")
        )
        place = _place(chunk, key)
        return self._say_rest(item, place, "".join(item.parts.get(place, ())), "".join(_texts_of(part)))

    def _read_item(self, chunk: dict[str, Any], given: dict[str, Any], event: str) -> list[ModelEvent]:
        kind, item_id, index = str(given.get("type")), given.get("id"), chunk.get("output_index")
        if event == "response.output_item.done":
            return self._finish_item(self._items.of(kind, item_id, index), given)
        item = self._items.begin(kind, item_id, index)
        if kind == CALL:
            self._read_call(item, given)
        return []

    def _finish_item(self, item: OutputItem, given: dict[str, Any]) -> list[ModelEvent]:
        item.is_done = True
        if item.kind == CALL:
            self._read_call(item, given)
            return []
        events: list[ModelEvent] = []
        if item.kind in {MESSAGE, REASONING}:
            said = [*_texts_of(given.get("summary")), *_texts_of(given.get("content"))]
            events = self._say_rest(item, next(reversed(item.parts), None), item.said(), item.joint.join(said))
        if item.kind != REASONING:
            # What else it led to, a search on the server for one, is not sent back; nor is the thinking then.
            self._leads.clear()
        elif not item.has_token and (token := token_of(given)) is not None:
            item.has_token = True
            self._leads.append(token)
        return events

    def _read_call(self, item: OutputItem, given: dict[str, Any]) -> None:
        call = item.call
        call.call_id = call.call_id or _text(given.get("call_id"))
        call.name = call.name or _text(given.get("name"))
        self._set_arguments(item, given.get("arguments"))
        item.is_cut_off = given.get("status") == "incomplete"
        call.leads += self._leads
        self._leads.clear()

    def _read_arguments(self, chunk: dict[str, Any]) -> None:
        item = self._items.of(CALL, chunk.get("item_id"), chunk.get("output_index"))
        item.call.name = item.call.name or _text(chunk.get("name"))
        if isinstance(piece := chunk.get("delta"), str):
            item.call.text.append(piece)
        self._set_arguments(item, chunk.get("arguments"))

    def _set_arguments(self, item: OutputItem, arguments: Any) -> None:
        """Arguments that are whole take the place of the pieces of them."""
        if isinstance(arguments, str) and arguments:
            item.call.text = [arguments]
        elif isinstance(arguments, dict):
            item.call.objects = [arguments]
        elif arguments and not isinstance(arguments, str):
            raise ProviderBadResponse()

    def _read_end(self, response: dict[str, Any], status: str) -> list[ModelEvent]:
        self._usage.add(response.get("usage"))
        status = _text(response.get("status")) or status
        events: list[ModelEvent] = []
        output = response.get("output")
        given = [item for item in output if isinstance(item, dict)] if isinstance(output, list) else []
        for item, whole in self._items.among(given):
            events += self._finish_item(item, whole)
        if status == "failed":
            raise failure_reported(response) or ProviderUnavailable()
        if status in {"completed", "incomplete"}:
            self.done = True
            self._finish = FinishReason.STOP if status == "completed" else _incomplete(response)
        elif status:
            raise ProviderBadResponse()
        return events

    def _say(self, item: OutputItem, place: Any, text: str) -> list[ModelEvent]:
        if not text:
            return []
        pieces = item.parts.get(place)
        joint = item.joint if pieces is None and item.parts else ""
        if pieces is None:
            pieces = item.parts[place] = []
        pieces.append(text)
        if item.kind == REASONING:
            return [ReasoningDelta(joint + text)]
        if not self._leads:
            return [TextDelta(text)]
        events: list[ModelEvent] = [ReasoningDelta("", token) for token in self._leads]
        self._leads.clear()
        return [*events, TextDelta(text)]

    def _say_rest(self, item: OutputItem, place: Any, said: str, whole: str) -> list[ModelEvent]:
        """What ``whole`` has more than was ``said``; where it differs, what was shown stands."""
        return self._say(item, place, whole[len(said) :]) if whole.startswith(said) else []


def _place(chunk: dict[str, Any], key: str) -> tuple[str, int]:
    index = chunk.get(key)
    return key, index if isinstance(index, int) else 0


def _incomplete(response: dict[str, Any]) -> FinishReason:
    details = response.get("incomplete_details")
    reason = details.get("reason") if isinstance(details, dict) else None
    return FinishReason.CONTENT_FILTER if reason == "content_filter" else FinishReason.LENGTH


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _texts_of(content: Any) -> list[str]:
    """The texts of parts, refusals too: they are what the model says."""
    if isinstance(content, dict):
        return texts(content.get("text") or content.get("refusal"))
    if isinstance(content, list):
        return [text for part in content for text in _texts_of(part)]
    return texts(content)
