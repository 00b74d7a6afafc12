"""What a step shows while its model speaks: deltas of one message, which is void when another route starts again."""

from dataclasses import dataclass, field

from agentcore.agents.journal import Journal
from agentcore.chat import ModelEvent, ReasoningDelta, Route, RouteSwitch, TextDelta
from agentcore.events import EventType
from agentcore.ids import uuid7


@dataclass
class Saying:
    """Give ``show`` every event of the model. ``shown`` is the text that stands, in pieces."""

    journal: Journal
    message_id: str = field(default_factory=lambda: str(uuid7()))
    shown: list[str] = field(default_factory=list)

    def show(self, event: ModelEvent) -> None:
        # Once for each token: the commonest comes first.
        if isinstance(event, TextDelta):
            if event.text:
                self.shown.append(event.text)
                self.journal.emit(EventType.TEXT_DELTA, {"message_id": self.message_id, "text": event.text})
        elif isinstance(event, ReasoningDelta):
            if event.text:
                self.journal.emit(EventType.REASONING_DELTA, {"message_id": self.message_id, "text": event.text})
        elif isinstance(event, RouteSwitch):
            self._switch(event)

    def _switch(self, switch: RouteSwitch) -> None:
        data = {
            "from": _route(switch.source),
            "to": _route(switch.target),
            "reason": switch.reason,
            "discard": self.message_id if switch.discard else None,
            "omitted": list(switch.omitted),
        }
        self.journal.emit(EventType.ROUTE_CHANGED, data)
        if switch.discard:
            # What comes now is another message: a reader that missed this event still has one whole text.
            self.message_id, self.shown = str(uuid7()), []


def _route(route: Route) -> dict[str, str]:
    return {"provider_id": route.provider_id, "model": route.model}
