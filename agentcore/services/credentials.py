"""Credentials: stored encrypted, read for a call, never shown."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from django.conf import settings
from django.db import transaction
from django.db.models import TextChoices
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.debug import sensitive_variables

from agentcore.conf import steward
from agentcore.credentials import MAX_VALUE, CredentialUnreadable, fingerprint, last_four, looks_masked, seal, unseal
from agentcore.errors import Conflict, NotFound, ProviderCredentialMissing, ValidationFailed
from agentcore.models import Credential, Provider
from agentcore.redaction.redactor import MIN_SECRET
from agentcore.services.breakers import breaker_forget

MAX_ID = 64
ENVIRONMENT = "STEWARD_CREDENTIAL_"
_ID = re.compile(r"[-a-zA-Z0-9_]{1,64}")
# Settings of their own, not credentials.
_NOT_CREDENTIALS = {"STEWARD_CREDENTIAL_KEYS"}


@sensitive_variables()
def credential_store(slug: str, value: str) -> Credential:
    """Store ``value`` under ``slug``, in place of what was there.

    Raises:
        ValidationFailed: it is empty, too long, holds control characters or looks like a mask; the id is too long; or
            no encryption key is set up.
    """
    value = value.strip()
    value_check(value)
    if len(slug) > MAX_ID:
        raise ValidationFailed(_("The id is too long."), details={"credential_id": [_("The id is too long.")]})
    token = seal(slug, value, steward().CREDENTIAL_KEYS)
    shown = {"last_four": last_four(value), "fingerprint": fingerprint(value, settings.SECRET_KEY)}
    row, _is_new = Credential.objects.update_or_create(slug=slug, defaults={"token": token, **shown})
    for provider in Provider.objects.filter(credential=row):
        transaction.on_commit(partial(breaker_forget, provider.slug), robust=True)
    return row


def value_check(value: str) -> None:
    """
    Raises:
        ValidationFailed: as ``credential_store``, and it does not quote the value.
    """
    if fault := _fault(value.strip()) or _keys_fault():
        raise ValidationFailed(fault, details={"value": [fault]})


def value_warning(value: str) -> str:
    """What to know of a value that can be stored all the same; empty for most."""
    if len(value.strip()) >= MIN_SECRET:
        return ""
    return _("This key is so short that it is not masked where it stands in a text.")


def _keys_fault() -> str:
    try:
        seal("", "", steward().CREDENTIAL_KEYS)
    except CredentialUnreadable:
        return _("No usable encryption key is set up. Set STEWARD_CREDENTIAL_KEYS.")
    return ""


def _fault(value: str) -> str:
    if not value:
        return _("The value is empty.")
    if len(value) > MAX_VALUE:
        return _("The value is too long.")
    if not value.isprintable():
        return _("The value holds characters that no key has.")
    if looks_masked(value):
        return _("This looks like the masked form of a key. Enter the key itself.")
    return ""


def credential_named(slug: str) -> Credential:
    """The row, or one that is not stored: an id is a name, whose value may come later or from outside. 1 query.

    Raises:
        NotFound: it is no id that a credential can have.
    """
    row = Credential.objects.filter(slug=slug).first()
    if row is None and not _ID.fullmatch(slug):
        raise NotFound(_("There is no such credential."))
    return row or Credential(slug=slug, token=b"")


@transaction.atomic
def credential_delete(slug: str) -> None:
    """Take a value away at once, also one in use: its providers keep the name, and answer nobody without a value.

    Raises:
        NotFound: there is none.
        Conflict: it is the environment's.
    """
    row = Credential.objects.select_for_update().filter(slug=slug).first()
    if row is None and credential_state(credential_named(slug)).is_usable:
        name = environment_name(slug)
        raise Conflict(_("This key comes from the environment: take %(name)s out there.") % {"name": name})
    if row is None:
        raise NotFound(_("There is no such credential."))
    if Provider.objects.filter(credential=row).exists():
        row.token, row.last_four, row.fingerprint = b"", "", ""
        row.save()
    else:
        row.delete()


def credential_declare(slug: str) -> Credential:
    """A row without a value of its own: it stands for that of the environment."""
    return Credential.objects.get_or_create(slug=slug, defaults={"token": b""})[0]


class Readability(TextChoices):
    """What can be had of a credential."""

    STORED = "stored", gettext_lazy("stored")
    ENVIRONMENT = "environment", gettext_lazy("from the environment")
    MISSING = "missing", gettext_lazy("no key")
    UNREADABLE = "unreadable", gettext_lazy("cannot be decrypted")


@dataclass(frozen=True, kw_only=True)
class CredentialState:
    """What may be shown of a credential. ``last_four`` and ``fingerprint`` are those of the value that counts."""

    readability: Readability
    last_four: str = ""
    fingerprint: str = ""

    @property
    def is_usable(self) -> bool:
        return self.readability in {Readability.STORED, Readability.ENVIRONMENT}


def credential_state(row: Credential) -> CredentialState:
    """No query."""
    try:
        value = value_of(row)
    except ProviderCredentialMissing:
        kind = Readability.UNREADABLE if row.token else Readability.MISSING
        return CredentialState(readability=kind, last_four=row.last_four, fingerprint=row.fingerprint)
    if row.token:
        return CredentialState(readability=Readability.STORED, last_four=row.last_four, fingerprint=row.fingerprint)
    shown = {"last_four": last_four(value), "fingerprint": fingerprint(value, settings.SECRET_KEY)}
    return CredentialState(readability=Readability.ENVIRONMENT, **shown)


def environment_name(slug: str) -> str:
    """The variable that holds the value of a credential that is not stored."""
    return ENVIRONMENT + slug.upper().replace("-", "_")


def credential_value(slug: str) -> str:
    """The value of a credential: the stored one, else that of the environment. 1 query.

    Raises:
        ProviderCredentialMissing: there is none, or the stored one cannot be decrypted.
    """
    return value_of(Credential.objects.filter(slug=slug).first() or Credential(slug=slug, token=b""))


def value_of(row: Credential) -> str:
    """The value of a row; one without a token stands for the environment's.

    Raises:
        ProviderCredentialMissing: as ``credential_value``.
    """
    if not row.token:
        return _from_environment(row.slug)
    try:
        return unseal(row.slug, row.token, steward().CREDENTIAL_KEYS)
    except CredentialUnreadable:
        raise ProviderCredentialMissing(
            _("The stored key of this provider cannot be decrypted. An admin can enter it again under Credentials.")
        ) from None


def token_opens(slug: str, token: bytes, keys: Sequence[str]) -> bool:
    """Whether one of ``keys`` opens a stored value."""
    try:
        unseal(slug, token, keys)
    except CredentialUnreadable:
        return False
    return True


def _from_environment(slug: str) -> str:
    name = environment_name(slug)
    value = "" if name in _NOT_CREDENTIALS else os.environ.get(name, "").strip()
    if not value:
        raise ProviderCredentialMissing()
    return value


def credential_values() -> list[str]:
    """Every value that can be read, for redaction. 1 query."""
    found = {
        value.strip()
        for name, value in os.environ.items()
        if name.startswith(ENVIRONMENT) and name not in _NOT_CREDENTIALS
    }
    keys = steward().CREDENTIAL_KEYS
    for slug, token in Credential.objects.exclude(token=b"").values_list("slug", "token"):
        try:
            found.add(unseal(slug, token, keys))
        except CredentialUnreadable:
            continue
    return sorted(found - {""})
