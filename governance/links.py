"""Links from a run to its records: named by ``STEWARD["RUN_LINKS"]``."""

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _


def turn_link(run: Any) -> dict[str, str] | None:
    """``{label, url}`` of the ledger's page about ``run``; None for an owner who may not see it."""
    if not run.user.has_perm("governance.view_turn"):
        return None
    return {"label": _("Record"), "url": reverse("governance:turn", kwargs={"run_id": run.pk})}
