"""A chat without agent, as server-sent events."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Iterator
from functools import partial
from itertools import groupby
from typing import Any
from uuid import UUID

from django.http import HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema

from agentcore.api.bridge import alogged_in, amay
from agentcore.api.components import ChatEvent
from agentcore.api.endpoint import endpoint, json_body
from agentcore.api.sse import HEADERS, HEARTBEAT, SILENCE_S
from agentcore.chat import ReasoningDelta, TextDelta
from agentcore.errors import AgentProcessRestarted, Conflict, Forbidden, error_from
from agentcore.events import Event, EventType
from agentcore.runs.chat import follow_chat, start_chat
from agentcore.runs.chat_request import ChatApiRequest
from agentcore.runs.direct import Direct
from agentcore.tools import CancelReason

PERMISSION = "agentcore.use_chat_api"

api = partial(endpoint, alogged_in=alogged_in)


@api("POST", described=extend_schema(request=ChatApiRequest, responses={(200, "text/event-stream"): ChatEvent}))
async def chat(request: HttpRequest, user: Any) -> HttpResponseBase:
    """Ask a model without an agent.

    The answer is a stream of model events, the last one ``Finish`` or ``Error``. Tools are offered to the model and run
    by you: send its calls and their results with the next request. Nothing of what is said is stored.
    """
    if not await amay(user, PERMISSION):
        raise Forbidden()
    asked = ChatApiRequest.parse(json_body(request))
    run_id, direct = await start_chat(asked, user=user, locale=get_language() or "en")
    response = StreamingHttpResponse(Frames(run_id, direct), content_type="text/event-stream", headers=HEADERS)
    response.headers["Content-Encoding"] = "identity"
    return response


class Frames:
    """The body. It is closed with the response, also when nobody began to read it, and by another thread."""

    def __init__(self, run_id: UUID, direct: Direct) -> None:
        self._frames, self._direct, self._loop = _frames(run_id, direct), direct, asyncio.get_running_loop()

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._frames

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._direct.leave)


async def _frames(run_id: UUID, direct: Direct) -> AsyncIterator[bytes]:
    is_partial = False
    async for batch in follow_chat(run_id, direct, silence_s=SILENCE_S):
        said = [event for event in batch if isinstance(event, TextDelta | ReasoningDelta) and event.text]
        is_partial = is_partial or bool(said)
        last = batch[-1] if batch and isinstance(batch[-1], Event) else None
        yield b"".join([*_deltas(said), *(_last(last, direct, is_partial) if last else ())]) if batch else HEARTBEAT


def _deltas(said: Iterable[TextDelta | ReasoningDelta]) -> Iterator[bytes]:
    """What waits is sent as one: deltas of a kind that follow each other are joined."""
    for kind, run in groupby(said, type):
        yield _frame(kind.__name__, {"text": "".join(event.text for event in run)})


def _last(event: Event, direct: Direct, is_partial: bool) -> Iterator[bytes]:
    """Everything that is there only once the answer is whole, or why it is not."""
    data = event.data
    if event.type is EventType.RUN_COMPLETED:
        for call in direct.calls:
            yield _frame("ToolCall", {"call_id": call.call_id, "name": call.name, "arguments": call.arguments})
    yield _frame("Usage", {"usage": data["usage"]})
    if event.type is EventType.RUN_COMPLETED:
        answered = {"provider_id": data["provider_id"], "model": data["model"]}
        yield _frame("Finish", {"reason": direct.finish.value} | answered)
    else:
        yield _frame("Error", _error(event) | {"partial": is_partial})


def _error(event: Event) -> dict[str, Any]:
    if event.type is EventType.RUN_FAILED:
        told = event.data["error"]
        return {**told, "retryable": error_from(told["code"]).retryable}
    is_going_down = event.data["reason"] == CancelReason.SHUTDOWN
    stopped = AgentProcessRestarted() if is_going_down else Conflict(_("The run was stopped."))
    return {**stopped.as_json(), "retryable": is_going_down}


def _frame(kind: str, data: dict[str, Any]) -> bytes:
    return f"event: {kind}\ndata: {json.dumps(data, ensure_ascii=False, separators=(',', ':'))}\n\n".encode()
