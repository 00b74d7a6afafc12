"""The endpoints of governance: the pages' records and sums, for programs, under the pages' permissions."""

from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from agentcore.errors import Forbidden
from governance.api.parameters import described, question_of, slice_of
from governance.api.shapes import AuditEventShape, AuditListShape, CostShape, TurnListShape, TurnShape, tally_json
from governance.days import zone_name
from governance.pages.audit import AUDIT
from governance.pages.cost import COST
from governance.pages.page import Page
from governance.pages.turns import TURNS
from governance.report import CostReport, cost_report
from governance.selectors import turns_of


class Governed(APIView):
    """An endpoint behind the permission of its ``page``."""

    page: ClassVar[Page]
    permission_classes = (IsAuthenticated,)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if not request.user.has_perm(self.page.permission):
            raise Forbidden()


class Turns(Governed):
    """The usage ledger, newest first."""

    page = TURNS

    @extend_schema(operation_id="governance_turns_list", parameters=described(TURNS), responses=TurnListShape)
    def get(self, request: Request) -> Response:
        found = slice_of(TURNS, request.query_params)
        results = TurnShape(found.rows, many=True).data
        return Response({"results": results, "next": found.older, "previous": found.newer})


class Audit(Governed):
    """The audit, the newest turn first, and inside a turn in the order in which it happened."""

    page = AUDIT

    @extend_schema(operation_id="governance_audit_list", parameters=described(AUDIT), responses=AuditListShape)
    def get(self, request: Request) -> Response:
        found = slice_of(AUDIT, request.query_params)
        context = {"turns": turns_of(found.rows), "user": request.user}
        results = AuditEventShape(found.rows, many=True, context=context).data
        return Response({"results": results, "next": found.older, "previous": found.newer})


class Cost(Governed):
    """What was spent and used, by model, by person and over time; without days the last thirty."""

    page = COST

    @extend_schema(operation_id="governance_cost", parameters=described(COST), responses=CostShape)
    def get(self, request: Request) -> Response:
        _form, question = question_of(COST, request.query_params)
        return Response(_report_json(cost_report(question)))


def _report_json(report: CostReport) -> dict[str, Any]:
    last_of = {part.first: part.last for part in report.parts}
    return {
        "since": report.parts[0].first,
        "until": report.parts[-1].last,
        "time_zone": zone_name(),
        "totals": [tally_json(tally) for tally in report.totals],
        "by_model": [tally_json(tally, provider_id=tally.provider_id, model=tally.model) for tally in report.by_model],
        "by_user": [tally_json(tally, user=tally.username) for tally in report.by_user],
        "over_time": [tally_json(tally, since=tally.day, until=last_of[tally.day]) for tally in report.over_time],
    }
