"""Providers as rows that admins write: checked, stored and deleted in one way, whoever asks for it."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from agentcore.conf import steward
from agentcore.errors import Conflict, Forbidden, NotFound, ProviderUrlForbidden, ValidationFailed
from agentcore.models import AgentProfile, AgentRoute, Credential, Provider
from agentcore.pricing import HOME_URLS
from agentcore.providers.profile import corrections_check
from agentcore.providers.spec import PROVIDER_TYPES
from agentcore.providers.urls import checked_at_rest
from agentcore.services.breakers import breaker_forget
from agentcore.services.credentials import credential_declare, credential_named
from agentcore.services.discovery import discovery_start
from agentcore.services.upstreams import provider_origin
from agentcore.text import clean_json, is_deeper

MAX_TIMEOUT_S = 3600
MAX_DEPTH = 32
# Addresses of the API have these words where an id would stand.
RESERVED_IDS = frozenset({"presets", "test"})
# What a person enters; the rest of a row is what was found out.
ENTERED = (
    *("provider_type", "name", "base_url", "default_model", "credential", "enabled"),
    *("timeout_s", "options", "profile", "updated_at"),
)
FOUND_OUT = ("status", "models_found", "models_found_at")


def provider_check(row: Provider) -> None:
    """What a person entered, but for the address, which is checked whenever a row is stored.

    Raises:
        ValidationFailed: a field is wrong; ``details`` names it.
    """
    id_check(row.slug)
    timeout_check(row.timeout_s)
    options_check(row.options)
    profile_check(row.profile)


def id_check(slug: str) -> None:
    """
    Raises:
        ValidationFailed: the API has another use for it.
    """
    if slug in RESERVED_IDS:
        raise _wrong("provider_id", _("This id is taken by an address of the API. Choose another one."))


def base_url_check(url: str, *, provider_type: str) -> None:
    """
    Raises:
        ValidationFailed: the site may not connect to ``url``, as far as that can be told without a name server; or it
            is missing, and the type has no address of its own.
    """
    fault = ""
    if url:
        try:
            checked_at_rest(url, allow_private=steward().private_provider_urls_allowed)
        except ProviderUrlForbidden as error:
            fault = error.message
    elif PROVIDER_TYPES.get(provider_type, False) and provider_type not in HOME_URLS:
        fault = _("A provider of this type needs a base URL.")
    if fault:
        raise _wrong("base_url", fault)


def timeout_check(timeout_s: float | None) -> None:
    """
    Raises:
        ValidationFailed: it is no time that a call may take.
    """
    if timeout_s is not None and not 0 < timeout_s <= MAX_TIMEOUT_S:
        raise _wrong("timeout", _("This must be between 0 and %(most)s seconds.") % {"most": MAX_TIMEOUT_S})


def options_check(options: Any) -> None:
    """
    Raises:
        ValidationFailed: they are no JSON object, or nested too deeply.
    """
    if not isinstance(options, dict) or not isinstance(options.get("body", {}), dict):
        raise _wrong("options", _("Options are a JSON object, and so is its “body”."))
    if is_deeper(options, MAX_DEPTH):
        raise _wrong("options", _("These options are nested too deeply."))


def profile_check(profile: Any) -> None:
    """
    Raises:
        ValidationFailed: a correction of what is known of the models is none.
    """
    if problems := corrections_check(profile):
        raise ValidationFailed(problems[0], details={"profile": problems})


def _wrong(field: str, fault: str) -> ValidationFailed:
    return ValidationFailed(fault, details={field: [fault]})


@transaction.atomic
def provider_save(row: Provider) -> bool:
    """Store ``row`` and have its models listed in the background; True when its credential was taken off.

    A key belongs to the host that it was entered for: a row that moves to another one loses it, and what was found
    out about the old one, unless another credential is chosen at the same time.

    Raises:
        ValidationFailed: as ``base_url_check``; the rest is checked by who takes it from a person.
        Conflict: its id is taken, or somebody else changed the row since it was read.
    """
    base_url_check(row.base_url, provider_type=row.provider_type)
    row.options = clean_json(row.options)
    cleared = False
    if row._state.adding:
        _insert(row)
    else:
        cleared = _overwrite(row)
    transaction.on_commit(partial(breaker_forget, row.slug), robust=True)
    transaction.on_commit(partial(discovery_start, row.slug), robust=True)
    return cleared


def _insert(row: Provider) -> None:
    try:
        with transaction.atomic():
            row.save(force_insert=True)
    except IntegrityError:
        raise Conflict(_("There is a provider of that id.")) from None


def _overwrite(row: Provider) -> bool:
    """What was found out stays as it is now, not as it was when ``row`` was read."""
    before = Provider.objects.select_for_update().filter(slug=row.slug).first()
    # Else a key that was taken off meanwhile would come back, with the host that it was taken off for.
    if before is None or before.updated_at != row.updated_at:
        raise Conflict(_("Somebody else changed this provider in the meantime. Look at it again."))
    moved = provider_origin(before) != provider_origin(row)
    cleared = moved and row.credential_id is not None and row.credential_id == before.credential_id
    if cleared:
        row.credential = None
    if moved:
        row.status, row.models_found, row.models_found_at = {}, [], None
    row.save(update_fields=[*ENTERED, *(FOUND_OUT if moved else ())])
    return cleared


def provider_create(slug: str, fields: Mapping[str, Any], *, may_choose_key: bool) -> Provider:
    """A new provider of these columns; its name is its id where none is given.

    Raises:
        ValidationFailed: as ``provider_check`` and ``base_url_check``, or there is no such credential.
        Forbidden: it has a credential, and the person may not choose one.
        Conflict: the id is taken.
    """
    row = provider_defined(slug, fields, may_choose_key=may_choose_key)
    _store(row)
    return row


def provider_defined(slug: str, fields: Mapping[str, Any], *, may_choose_key: bool) -> Provider:
    """The same, not stored; whether its address is allowed is found out when it is asked.

    Raises:
        ValidationFailed, Forbidden: as ``provider_create``.
    """
    row = Provider(slug=slug, name=slug)
    _change(row, fields, may_choose_key)
    provider_check(row)
    return row


@transaction.atomic
def provider_update(slug: str, changes: Mapping[str, Any], *, may_choose_key: bool) -> Provider:
    """The provider with other values in these columns.

    Raises:
        NotFound: there is none.
        ValidationFailed, Forbidden: as ``provider_create``.
    """
    row = Provider.objects.select_for_update().filter(slug=slug).first()
    if row is None:
        raise NotFound(_("There is no provider of that name."))
    _change(row, changes, may_choose_key)
    provider_check(row)
    _store(row)
    return row


def _change(row: Provider, changes: Mapping[str, Any], may_choose_key: bool) -> None:
    """A key is sent to a host only by who may replace keys; everybody else leaves it where it is, or takes it off."""
    for name, value in changes.items():
        if name != "credential_id":
            setattr(row, name, value)
        elif value != row.credential_id:
            if value and not may_choose_key:
                raise Forbidden(_("Only who may change credentials can choose one."))
            row.credential = _chosen(value) if value else None


def _chosen(slug: str) -> Credential:
    try:
        return credential_named(slug)
    except NotFound:
        raise _wrong("credential_id", _("No credential can have that id.")) from None


def _store(row: Provider) -> None:
    if row.credential is not None and row.credential._state.adding:
        row.credential = credential_declare(row.credential.slug)
    provider_save(row)


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
