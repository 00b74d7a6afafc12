"""The pages of governance: each parses, asks one renderer or selector, and answers."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from governance.access import missing, not_understood, requires
from governance.exports import export_response
from governance.pages.audit import AUDIT
from governance.pages.cost import COST
from governance.pages.renderer import page_response
from governance.pages.turn import turn_context
from governance.pages.turns import TURNS
from governance.selectors import turn_record

_FARTHEST = 2**31


@require_safe
@requires(TURNS.permission)
def turns(request: HttpRequest) -> HttpResponse:
    """The usage ledger."""
    return page_response(request, TURNS)


@require_safe
@requires(TURNS.permission, "governance.export")
def turns_export(request: HttpRequest) -> HttpResponseBase:
    """The ledger as a file, with the ledger's filters."""
    form = TURNS.filters(request.GET)
    return export_response(request, TURNS, form.question()) if form.is_valid() else not_understood(request, form)


@require_safe
@requires(AUDIT.permission)
def audit(request: HttpRequest) -> HttpResponse:
    """The audit replay."""
    return page_response(request, AUDIT)


@require_safe
@requires(COST.permission)
def cost(request: HttpRequest) -> HttpResponse:
    """The cost dashboard."""
    return page_response(request, COST)


@require_safe
@requires("governance.view_turn")
def turn(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """One turn, with its audit for those who may also see that."""
    after = _sequence(request.GET.get("after", ""))
    record = turn_record(run_id, after=after, with_audit=request.user.has_perm("governance.view_auditevent"))
    if record is None:
        return missing(request)
    return render(request, "governance/turn.html", turn_context(record, request.user, after))


def _sequence(text: str) -> int:
    """The sequence after which events are shown; from the start when it says nothing sensible."""
    return int(text) if text.isdecimal() and len(text) < 10 and int(text) < _FARTHEST else -1
