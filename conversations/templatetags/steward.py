"""``{% load steward %}{% steward_drawer %}``: the drawer on any page of the host site."""

import json
from typing import Any

from django import template
from django.conf import settings
from django.shortcuts import resolve_url
from django.template.context import Context
from django.urls import get_script_prefix, reverse
from django.utils.translation import gettext

from agentcore.conf import steward
from agentcore.models import AgentProfile
from conversations.texts import drawer_texts

register = template.Library()


@register.inclusion_tag("conversations/_drawer.html", takes_context=True)
def steward_drawer(context: Context, mode: str = "drawer", agent: str = "") -> dict[str, Any]:
    """The drawer, ``mode="page"`` for one that fills its place; a login link for who is not logged in. One query."""
    request = context["request"]
    next_url = request.get_full_path()
    if not request.user.is_authenticated:
        return {"user_id": None, "login_url": resolve_url(settings.LOGIN_URL), "next": next_url}
    profile = AgentProfile.objects.filter(slug=agent or steward().DEFAULT_AGENT, enabled=True).first()
    prefix = get_script_prefix()
    return {
        "mode": mode,
        "user_id": request.user.pk,
        "user_name": request.user.get_short_name() or request.user.get_username(),
        # Left out of a send, the server's default decides: nothing breaks when it is renamed.
        "agent": agent,
        "agent_name": gettext(profile.name) if profile else "Steward",
        "agent_description": gettext(profile.description) if profile and profile.description else "",
        "suggestions": json.dumps([gettext(text) for text in profile.suggestions if text] if profile else []),
        "texts": json.dumps(drawer_texts(), ensure_ascii=False),
        "api": f"{prefix}api/",
        "socket": f"{prefix}ws/agent/",
        "page_url": reverse("conversations:agent"),
        "login_url": f"{resolve_url(settings.LOGIN_URL)}",
        "next": next_url,
    }
