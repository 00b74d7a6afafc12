"""Run endpoints. Async, since a task that a synchronous view starts dies with it."""

from functools import partial
from typing import Any
from uuid import UUID

from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.utils.translation import get_language
from django.views.decorators.csrf import csrf_exempt
from drf_spectacular.utils import OpenApiParameter, extend_schema

from agentcore.api.bridge import alogged_in, arun_json, atrace_json
from agentcore.api.components import Event, RunAnswer, TraceAnswer
from agentcore.api.endpoint import endpoint, json_body
from agentcore.api.errors import error_response
from agentcore.api.sse import event_stream, resume_after, sequence_of
from agentcore.bridge import arun_visible, atrace
from agentcore.errors import NotFound
from agentcore.paging import limit_of
from agentcore.runs.requests import RunRequest
from agentcore.runs.service import cancel_run, start_run

MAX_LIMIT = 1000
DEFAULT_LIMIT = 200

AFTER = OpenApiParameter(
    "after_sequence", int, default=-1, description="The last sequence that you have; −1 is none, and from the start."
)
LIMIT = OpenApiParameter("limit", int, default=DEFAULT_LIMIT, description=f"From 1 to {MAX_LIMIT}.")
LAST_EVENT_ID = OpenApiParameter(
    "Last-Event-ID", int, OpenApiParameter.HEADER, description="The same as after_sequence, and wins over it."
)

api = partial(endpoint, alogged_in=alogged_in)


@api("POST", described=extend_schema(request=RunRequest, responses={201: RunAnswer, 200: RunAnswer}))
async def runs(request: HttpRequest, user: Any) -> HttpResponseBase:
    """Start a run: 201 with the run, 200 with the same one when the ``send_id`` is known."""
    wanted = RunRequest.parse(json_body(request))
    started = await start_run(wanted, user=user, locale=get_language() or "en", purpose="api")
    run = await arun_visible(started.run_id, user)
    return JsonResponse(await arun_json(run), status=201 if started.created else 200)


@api("GET", described=extend_schema(responses=RunAnswer))
async def run_detail(request: HttpRequest, user: Any, run_id: UUID) -> HttpResponseBase:
    """One run of your own."""
    return JsonResponse(await arun_json(await arun_visible(run_id, user)))


@api(
    "GET",
    described=extend_schema(parameters=[AFTER, LAST_EVENT_ID], responses={(200, "text/event-stream"): Event}),
)
async def run_events(request: HttpRequest, user: Any, run_id: UUID) -> HttpResponseBase:
    """The run's events as server-sent events, stored ones first; it ends after the run's last one.

    Each frame has the sequence as ``id``, the type as ``event`` and the envelope as ``data``.
    """
    after = resume_after(request)
    await arun_visible(run_id, user)
    return event_stream(run_id, after)


@api("GET", described=extend_schema(parameters=[AFTER, LIMIT], responses=TraceAnswer))
async def run_trace(request: HttpRequest, user: Any, run_id: UUID) -> HttpResponseBase:
    """The stored events of a run, a page of them."""
    after = sequence_of(request.GET.get("after_sequence", ""))
    limit = limit_of(request.GET.get("limit", ""), default=DEFAULT_LIMIT, most=MAX_LIMIT)
    run = await arun_visible(run_id, user)
    return JsonResponse(await atrace_json(await atrace(run, after=after, limit=limit)))


@api("POST", described=extend_schema(request=None, responses={200: RunAnswer}))
async def run_cancel(request: HttpRequest, user: Any, run_id: UUID) -> HttpResponseBase:
    """Stop a run. One that has ended stays as it is."""
    await cancel_run(run_id, user=user)
    return JsonResponse(await arun_json(await arun_visible(run_id, user)))


@csrf_exempt
def unknown(request: HttpRequest, rest: str = "") -> HttpResponseBase:
    """Every other address under ``/api/``, for whoever asks: in the API's own shape also with DEBUG on.

    Exempt from CSRF, since nothing is done here: a program with a token shall learn that the address is wrong.
    """
    return error_response(NotFound(), request)
