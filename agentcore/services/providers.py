"""Providers: rows that admins write, and the plain values that the kernel uses."""

from django.db import transaction
from django.utils.translation import gettext as _

from agentcore.conf import steward
from agentcore.errors import Conflict, ProviderCredentialMissing, ProviderError, ProviderUrlForbidden, ValidationFailed
from agentcore.models import AgentProfile, AgentRoute, Provider
from agentcore.pricing import HOME_URLS
from agentcore.providers.clients import client_for
from agentcore.providers.presets import PRESETS
from agentcore.providers.spec import PROVIDER_TYPES, ProviderSpec
from agentcore.providers.urls import checked_at_rest
from agentcore.services.credentials import value_of

# Where nobody is answered without a key.
_KEYED_ORIGINS = {checked_at_rest(item.base_url, allow_private=True).origin for item in PRESETS if item.needs_key}


def provider_spec(row: Provider) -> ProviderSpec:
    """The value of a row, with its key. No query where the row came with its credential.

    A key that is missing or unreadable makes a spec without one, which ``needs_credential`` tells from a provider
    that has none set up.
    """
    return ProviderSpec(
        provider_id=row.slug,
        provider_type=row.provider_type,
        name=row.name,
        base_url=row.base_url,
        default_model=row.default_model,
        api_key=_key_of(row),
        needs_credential=row.credential_id is not None,
        timeout_s=row.timeout_s,
        options=row.options,
        profile=row.profile,
    )


def _key_of(row: Provider) -> str:
    if row.credential is None:
        return ""
    try:
        return value_of(row.credential)
    except ProviderCredentialMissing:
        return ""


def provider_fault(row: Provider) -> str:
    """Why ``row`` cannot answer, as far as that is known without asking it; empty where nothing is. No query."""
    try:
        # Asked first: a spec without a key does not know whether none is stored or none can be read.
        if row.credential is not None and PROVIDER_TYPES.get(row.provider_type):
            value_of(row.credential)
        client_for(provider_spec(row))
    except ProviderError as error:
        return error.message
    return _keyless_fault(row)


def _keyless_fault(row: Provider) -> str:
    if row.credential_id is None and _origin(row) in _KEYED_ORIGINS:
        return _("Its host answers nobody without a key. Choose a credential for it.")
    return ""


def last_test_fault(row: Provider) -> str:
    """What its last test said against it; empty where that went well, or there was none."""
    status = row.status or {}
    return str(status.get("message") or status.get("code") or "") if status.get("ok") is False else ""


def base_url_check(url: str, *, provider_type: str) -> None:
    """
    Raises:
        ProviderUrlForbidden: the site may not connect to ``url``, as far as that can be told without a name server.
        ValidationFailed: it is missing, and the type has no address of its own.
    """
    if url:
        checked_at_rest(url, allow_private=steward().private_provider_urls_allowed)
    elif PROVIDER_TYPES.get(provider_type, False) and provider_type not in HOME_URLS:
        raise ValidationFailed(_("A provider of this type needs a base URL."))


@transaction.atomic
def provider_save(row: Provider) -> bool:
    """Store ``row``; True when its credential was taken off.

    A key belongs to the host that it was entered for: a row that moves to another one loses it, and what was found
    out about the old one, unless another credential is chosen at the same time.

    Raises:
        ProviderUrlForbidden, ValidationFailed: as ``base_url_check``.
    """
    base_url_check(row.base_url, provider_type=row.provider_type)
    before = Provider.objects.select_for_update().filter(slug=row.slug).first()
    moved = before is not None and _origin(before) != _origin(row)
    cleared = (
        moved and row.credential_id is not None and before is not None and row.credential_id == before.credential_id
    )
    if cleared:
        row.credential = None
    if moved:
        row.status, row.models_found, row.models_found_at = {}, [], None
    row.save()
    return cleared


def _origin(row: Provider) -> str:
    """Scheme, host and port; also of a stored address that was allowed once and is not now."""
    url = row.base_url or HOME_URLS.get(row.provider_type, "")
    try:
        return checked_at_rest(url, allow_private=True).origin if url else ""
    except ProviderUrlForbidden:
        return url


def agents_only_on(slugs: list[str]) -> list[AgentProfile]:
    """The agents all of whose routes lead to these providers. 1 query."""
    elsewhere = AgentRoute.objects.exclude(provider__in=slugs).values("agent")
    return list(AgentProfile.objects.filter(routes__provider__in=slugs).exclude(slug__in=elsewhere).distinct())


@transaction.atomic
def providers_delete(slugs: list[str]) -> None:
    """Delete providers with their prices, and the routes of agents that have others. Their records stay.

    Raises:
        Conflict: an agent would be left without a route; nothing is deleted.
    """
    list(Provider.objects.select_for_update().filter(slug__in=slugs))
    if agents := agents_only_on(slugs):
        names = ", ".join(agent.name for agent in agents)
        raise Conflict(
            _("These agents have no other route: %(agents)s. Give them another one first.") % {"agents": names},
            details=[{"agent": agent.slug} for agent in agents],
        )
    AgentRoute.objects.filter(provider__in=slugs).delete()
    Provider.objects.filter(slug__in=slugs).delete()
