"""Run endpoints. Async, since a task that a synchronous view starts dies with it."""

from functools import partial
from typing import Any
from uuid import UUID

from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from agentcore.api.bridge import alogged_in, arun_json, atrace_json
from agentcore.api.endpoint import endpoint, json_body
from agentcore.api.errors import error_response
from agentcore.api.sse import event_stream, resume_after, sequence_of
from agentcore.bridge import arun_visible, atrace
from agentcore.errors import NotFound, ValidationFailed
from agentcore.runs.requests import RunRequest
from agentcore.runs.service import cancel_run, start_run

MAX_LIMIT = 1000
DEFAULT_LIMIT = 200

api = partial(endpoint, alogged_in=alogged_in)


@api("POST")
async def runs(request: HttpRequest, user: Any) -> HttpResponseBase:
    """``POST /api/agent/runs``: 201 with the run, 200 when the ``send_id`` is known."""
    wanted = RunRequest.parse(json_body(request))
    started = await start_run(wanted, user=user, locale=get_language() or "en", purpose="api")
    run = await arun_visible(started.run_id, user)
    return JsonResponse(await arun_json(run), status=201 if started.created else 200)


@api("GET")
async def run_detail(request: HttpRequest, user: Any, run_id: UUID) -> HttpResponseBase:
    return JsonResponse(await arun_json(await arun_visible(run_id, user)))


@api("GET")
async def run_events(request: HttpRequest, user: Any, run_id: UUID) -> HttpResponseBase:
    after = resume_after(request)
    await arun_visible(run_id, user)
    return event_stream(run_id, after)


@api("GET")
async def run_trace(request: HttpRequest, user: Any, run_id: UUID) -> HttpResponseBase:
    after, limit = sequence_of(request.GET.get("after_sequence", "")), _limit(request)
    run = await arun_visible(run_id, user)
    return JsonResponse(await atrace_json(await atrace(run, after=after, limit=limit)))


@api("POST")
async def run_cancel(request: HttpRequest, user: Any, run_id: UUID) -> HttpResponseBase:
    await cancel_run(run_id, user=user)
    return JsonResponse(await arun_json(await arun_visible(run_id, user)))


def unknown(request: HttpRequest, rest: str) -> HttpResponseBase:
    """Every other address under ``/api/``, for whoever asks: in the API's own shape also with DEBUG on."""
    return error_response(NotFound(), request)


def _limit(request: HttpRequest) -> int:
    text = request.GET.get("limit", "") or str(DEFAULT_LIMIT)
    if not (text.isascii() and text.isdigit() and len(text) < 6 and 1 <= int(text) <= MAX_LIMIT):
        raise ValidationFailed(_("The limit must be a whole number from 1 to %(most)d.") % {"most": MAX_LIMIT})
    return int(text)
