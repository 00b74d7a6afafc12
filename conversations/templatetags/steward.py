"""``{% load steward %}{% steward_drawer %}``: the drawer on any page of the host site."""

import json
from dataclasses import asdict
from typing import Any

from django import template
from django.conf import settings
from django.middleware.csrf import get_token
from django.shortcuts import resolve_url
from django.template.context import Context
from django.urls import NoReverseMatch, get_script_prefix, reverse
from django.utils.translation import gettext

from agentcore.conf import steward
from agentcore.models import AgentProfile, Provider
from agentcore.services.standards import standard_routes
from conversations.texts import drawer_texts

register = template.Library()


@register.inclusion_tag("conversations/_drawer.html", takes_context=True)
def steward_drawer(context: Context, mode: str = "drawer", agent: str = "", model_help: str = "") -> dict[str, Any]:
    """The drawer, ``mode="page"`` for one that fills its place; a login link for who is not logged in. Three queries.

    ``model_help`` says how to get a real model, to who talks to one that only follows a script; left out, it is what
    a context processor of the site calls ``steward_model_help``.
    """
    request = context["request"]
    next_url = request.get_full_path()
    if not request.user.is_authenticated:
        return {"user_id": None, "login_url": resolve_url(settings.LOGIN_URL), "next": next_url}
    slug = agent or steward().DEFAULT_AGENT
    profile = AgentProfile.objects.filter(slug=slug, enabled=True).first()
    standard = standard_routes(slug).get(slug)
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
        "model": json.dumps(asdict(standard) if standard else None),
        "offline": json.dumps(_offline_providers()),
        "model_help": model_help or context.get("steward_model_help", ""),
        "model_help_url": _connect_url(request.user),
        "max_chars": steward().MAX_INPUT_CHARS,
        "csrf": get_token(request),
        "api": f"{prefix}api/",
        "socket": f"{prefix}ws/agent/",
        "page_url": reverse("conversations:agent"),
        "login_url": f"{resolve_url(settings.LOGIN_URL)}",
        "next": next_url,
    }


def _offline_providers() -> list[str]:
    """1 query."""
    return list(Provider.objects.filter(provider_type=Provider.Type.MOCK).values_list("slug", flat=True))


def _connect_url(user: Any) -> str:
    """Where this person can add a provider; empty when they may not, or when the site has no admin."""
    if not (user.is_staff and user.has_perm("agentcore.add_provider")):
        return ""
    try:
        return reverse("admin:agentcore_provider_add")
    except NoReverseMatch:
        return ""
