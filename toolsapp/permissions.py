"""Who may call which tool: by Django's own permissions, and by what the site's policy says of everybody."""

from functools import cache
from typing import Any

from django.apps import apps
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission

from agentcore.policy import policy_of
from toolsapp.definition import ToolDefinition


def is_denied(definition: ToolDefinition) -> bool:
    return policy_of(definition.name, definition.permissions, definition.effect) == "deny"


def may_call(definition: ToolDefinition, user: Any) -> bool:
    """Whether ``user`` holds every permission of the tool. One that this site does not know is denied to everyone.

    Reads the user's permissions once for each user object; a tool without permissions costs nothing.
    """
    if is_denied(definition):
        return False
    if not definition.permissions:
        return True
    if user is None or not user.is_active:
        return False
    return all(is_known(name) and user.has_perm(name) for name in definition.permissions)


def may_call_now(definition: ToolDefinition, user: Any) -> bool:
    """``may_call`` with what the database says now: the user object may be as old as its run."""
    if not definition.permissions or user is None or user.pk is None:
        return may_call(definition, None)
    return may_call(definition, get_user_model()._default_manager.filter(pk=user.pk).first())


def is_known(name: str) -> bool:
    """Whether a permission exists. A superuser holds every name that there is, a misspelt one too; so we ask."""
    if name in _declared():
        return True
    app_label, _dot, codename = name.partition(".")
    return Permission.objects.filter(content_type__app_label=app_label, codename=codename).exists()


@cache
def _declared() -> frozenset[str]:
    """The permissions that the models of the installed apps declare."""
    return frozenset(
        f"{model._meta.app_label}.{codename}"
        for model in apps.get_models()
        for codename in (
            *(f"{action}_{model._meta.model_name}" for action in model._meta.default_permissions),
            *(codename for codename, _name in model._meta.permissions),
        )
    )
