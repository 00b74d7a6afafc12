"""Links between a run and its records."""

from typing import Any
from uuid import UUID

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from agentcore.pages import Link, link


def record_links(run_id: UUID) -> list[Link]:
    """A run and what is on record about it; whether each opens is its own page's decision."""
    query = {"run_id": str(run_id)}
    found = [
        link(_("Run"), "admin:agentcore_run_change", object_id=str(run_id)),
        link(_("Turn"), "governance:turn", run_id=run_id),
        link(_("Model calls"), "admin:governance_modelcall_changelist", query=query),
        link(_("Audit"), "admin:governance_auditevent_changelist", query=query),
    ]
    return [item for item in found if item]


def links_in_a_line(links: list[Any]) -> SafeString:
    """They stay on one line: a list's rows are as high as their highest cell."""
    anchors = format_html_join(" · ", '<a href="{}">{}</a>', ((link.url, link.label) for link in links))
    return format_html('<span class="st-admin-line">{}</span>', anchors)
