"""Run events as server-sent events."""

import json
from collections.abc import AsyncIterator
from uuid import UUID

from django.http import HttpRequest, StreamingHttpResponse
from django.utils.translation import gettext as _

from agentcore.errors import ValidationFailed
from agentcore.events import Event
from agentcore.runs.service import follow

SILENCE_S = 15.0
HEARTBEAT = b": keep-alive\n\n"
HEADERS = {"Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no"}
LARGEST = 2**63 - 1


def resume_after(request: HttpRequest) -> int:
    """The sequence that the reader has; the ``Last-Event-ID`` header wins over ``?after_sequence=``; −1 is none.

    Raises:
        ValidationFailed: it is no integer, negative other than −1, or beyond 2^63.
    """
    text = request.headers.get("Last-Event-ID") or request.GET.get("after_sequence", "")
    return sequence_of(text)


def sequence_of(text: str) -> int:
    """A sequence from outside; empty is −1."""
    text = text.strip()
    if not text:
        return -1
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 20 and -1 <= int(text) <= LARGEST):
        message = _("The sequence must be a whole number, -1 or more.")
        raise ValidationFailed(message, details={"after_sequence": [message]})
    return int(text)


def frame(event: Event) -> bytes:
    data = json.dumps(event.envelope(), ensure_ascii=False, separators=(",", ":"))
    return f"id: {event.sequence}\nevent: {event.type.value}\ndata: {data}\n\n".encode()


async def frames(run_id: UUID, after: int) -> AsyncIterator[bytes]:
    """The events after a sequence as frames, and a comment when nothing happens for ``SILENCE_S``."""
    async for events in follow(run_id, after, silence_s=SILENCE_S):
        yield b"".join(frame(event) for event in events) or HEARTBEAT


def event_stream(run_id: UUID, after: int) -> StreamingHttpResponse:
    """The response. ``Content-Encoding: identity`` keeps compressing middleware away from it."""
    response = StreamingHttpResponse(frames(run_id, after), content_type="text/event-stream", headers=HEADERS)
    response.headers["Content-Encoding"] = "identity"
    return response
