"""The plan of a chat without agent: one route, no tools that run, the site's own limits. Reads only."""

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _

from agentcore.agents.context import Limits
from agentcore.chat import Route
from agentcore.conf import steward
from agentcore.errors import NotFound
from agentcore.models import Provider
from agentcore.services.plans import Plan, PlannedRoute, caller_of, is_known, runs_elsewhere
from agentcore.services.redaction import redactor
from agentcore.services.upstreams import key_check, provider_spec


def chat_plan_load(route: Route, *, tools: Sequence[str], user: Any, locale: str) -> Plan:
    """1 query, and now and then 1 for the credentials that must not be shown.

    Raises:
        NotFound: the provider or the model is unknown or disabled.
        ProviderCredentialMissing: it has no usable key.
    """
    found = Provider.objects.filter(slug=route.provider_id, enabled=True).select_related("credential")
    row = found.annotate(runs_elsewhere=runs_elsewhere(user)).first()
    if row is None:
        raise NotFound(_("There is no provider of that name."))
    if not is_known(row, route.model):
        raise NotFound(_("There is no model of that name."))
    key_check(row)
    settings = steward()
    limits = Limits(
        timeout_s=settings.RUN_TIMEOUT,
        max_output_tokens=settings.MAX_OUTPUT_TOKENS,
        token_budget=settings.RUN_TOKEN_BUDGET,
    )
    return Plan(
        agent="",
        name="",
        instructions="",
        routes=(PlannedRoute(route=route, spec=provider_spec(row)),),
        tools=(),
        limits=limits,
        caller=caller_of(user, locale=locale),
        config={
            "routes": [{"provider_id": route.provider_id, "model": route.model}],
            "tools": list(tools),
            "limits": vars(limits),
        },
        redactor=redactor(),
        restarts_after_text=False,
        runs_elsewhere=row.runs_elsewhere,
    )
