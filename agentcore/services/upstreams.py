"""Providers as the plain values that the kernel uses, and what is known against them."""

from django.utils.translation import gettext as _

from agentcore.errors import ProviderCredentialMissing, ProviderError, ProviderUrlForbidden
from agentcore.models import Provider
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
        key_check(row)
        client_for(provider_spec(row))
    except ProviderError as error:
        return error.message
    return _keyless_fault(row)


def key_check(row: Provider) -> None:
    """
    Raises:
        ProviderCredentialMissing: ``row`` needs a key, and there is none or it cannot be decrypted.
    """
    if row.credential is not None and PROVIDER_TYPES.get(row.provider_type):
        value_of(row.credential)


def _keyless_fault(row: Provider) -> str:
    if row.credential_id is None and provider_origin(row) in _KEYED_ORIGINS:
        return _("Its host answers nobody without a key. Choose a credential for it.")
    return ""


def last_test_fault(row: Provider) -> str:
    """What its last test said against it; empty where that went well, or there was none."""
    status = row.status or {}
    return str(status.get("message") or status.get("code") or "") if status.get("ok") is False else ""


def provider_origin(row: Provider) -> str:
    """Scheme, host and port; also of a stored address that was allowed once and is not now."""
    url = row.base_url or HOME_URLS.get(row.provider_type, "")
    try:
        return checked_at_rest(url, allow_private=True).origin if url else ""
    except ProviderUrlForbidden:
        return url
