"""A run on a terminal: the answer on one stream, everything beside it on the other."""

import json
from dataclasses import dataclass, field
from typing import Any, Protocol

from django.utils.translation import gettext as _

from agentcore.events import Event, EventType
from agentcore.rerouting import rerouted

LONGEST = 200


class Stream(Protocol):
    """What a command writes to."""

    def write(self, text: str, *, ending: str = ...) -> None: ...

    def flush(self) -> None: ...


@dataclass
class Transcript:
    """Writes events as they come: ``out`` gets the assistant's text and nothing else, ``aside`` the rest.

    With ``as_json`` ``out`` gets one event envelope a line instead.
    """

    out: Stream
    aside: Stream
    as_json: bool = False
    _shown: dict[str, str] = field(default_factory=dict)
    _is_mid_line: bool = False

    def show(self, events: list[Event]) -> None:
        for event in events:
            if self.as_json:
                self.out.write(json.dumps(event.envelope(), ensure_ascii=False), ending="\n")
            else:
                self._show_text(event)
            self._show_aside(event)
        self.out.flush()

    def _show_text(self, event: Event) -> None:
        data = event.data
        if event.type is EventType.TEXT_DELTA:
            self._say(data["message_id"], data["text"])
        elif event.type is EventType.MESSAGE_COMPLETED:
            # The whole text counts: deltas of it may have been merged, trimmed or never sent.
            shown = self._shown.get(data["message_id"], "")
            if data["text"].startswith(shown):
                self._say(data["message_id"], data["text"][len(shown) :])
            self._end_line()
        elif event.type in {EventType.RUN_RESUMED, EventType.ROUTE_CHANGED}:
            # What is on a terminal stays there: the new attempt starts on a line of its own.
            self._end_line()

    def _say(self, message_id: str, text: str) -> None:
        if not text:
            return
        self._shown[message_id] = self._shown.get(message_id, "") + text
        self._is_mid_line = not text.endswith("\n")
        self.out.write(text, ending="")

    def _end_line(self) -> None:
        if self._is_mid_line:
            self.out.write("", ending="\n")
            self._is_mid_line = False

    def _show_aside(self, event: Event) -> None:
        line = _aside(event.type, event.data)
        if line:
            if not self.as_json:
                self._end_line()
                self.out.flush()
            self.aside.write(line, ending="\n")


def _aside(kind: EventType, data: dict[str, Any]) -> str:
    """The line beside the answer, or nothing."""
    match kind:
        case EventType.TOOL_CALL_STARTED:
            return f"> {data['name']} {data['summary'] or _short(data['arguments'])}".rstrip()
        case EventType.TOOL_CALL_COMPLETED:
            said = data["error"]["message"] if data["error"] else _short(data["result"])
            return f"< {data['name']} {data['status']}: {said}"
        case EventType.PERMISSION_REQUIRED:
            return f"? {data['tool']}: {data['summary'] or _short(data['arguments'])}"
        case EventType.PERMISSION_RESOLVED:
            return f"? {data['decision']}"
        case EventType.GUARDRAIL_BLOCKED:
            return f"! {data['message']}"
        case EventType.ROUTE_CHANGED:
            return f"! {rerouted(data)}"
        case EventType.RUN_FAILED:
            return f"! {data['error']['code']}: {data['error']['message']}"
        case EventType.RUN_CANCELLED:
            return "! " + _("Stopped.")
    return ""


def _short(value: Any) -> str:
    text = " ".join(json.dumps(value, ensure_ascii=False).split())
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
