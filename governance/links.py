"""Links from a run to its records: named by ``STEWARD["RUN_LINKS"]``."""

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _


def turn_link(run: Any) -> dict[str, str]:
    """``{label, url}`` of the ledger's page about ``run``; whether it opens is the page's own decision."""
    return {"label": _("Record"), "url": reverse("governance:turn", kwargs={"run_id": run.pk})}
