"""The pages of governance."""

from uuid import UUID

from django.contrib.auth.decorators import login_required, permission_required
from django.http import HttpRequest, HttpResponse


@login_required
@permission_required("governance.view_turn", raise_exception=True)
def turn(request: HttpRequest, run_id: UUID) -> HttpResponse:
    return HttpResponse(str(run_id), content_type="text/plain")
