"""Providers: rows as plain values that the kernel can use."""

from agentcore.errors import ProviderCredentialMissing
from agentcore.models import Provider
from agentcore.providers.spec import ProviderSpec
from agentcore.services.credentials import value_of


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
    )


def _key_of(row: Provider) -> str:
    if row.credential is None:
        return ""
    try:
        return value_of(row.credential)
    except ProviderCredentialMissing:
        return ""
