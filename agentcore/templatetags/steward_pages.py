"""Where a header leads, as a tag: ``{% load steward_pages %}{% governance_start as governance_url %}``."""

from typing import Any

from django import template

from agentcore.pages import governance_links

register = template.Library()


@register.simple_tag(takes_context=True)
def governance_start(context: dict[str, Any]) -> str:
    """The first page of governance that the user may open; empty where none opens."""
    user = context.get("user")
    links = governance_links(user) if user else []
    return links[0].url if links else ""
