"""The box of the admin index, as a tag: ``{% load steward_admin %}{% steward_setup %}``."""

from typing import Any

from django import template

from agentcore.admin.checklist import checklist, may_see
from agentcore.admin.dry_run import dry_run_links
from agentcore.pages import page_links

register = template.Library()


@register.inclusion_tag("agentcore/admin/_setup.html", takes_context=True)
def steward_setup(context: dict[str, Any]) -> dict[str, Any]:
    """The first-run checklist and links to the pages, as far as the user may see them."""
    request = context["request"]
    items = checklist(request) if may_see(request.user) else []
    pages = [*page_links(request.user), *dry_run_links(request.user)]
    return {"items": items, "is_complete": all(item.is_done for item in items), "pages": pages}
