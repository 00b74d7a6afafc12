"""Rotation: stored credentials get a new seal when the site gets a new key."""

from enum import StrEnum

from agentcore.conf import steward
from agentcore.credentials import CredentialUnreadable, seal, unseal
from agentcore.models import Credential
from agentcore.services.credentials import token_opens


class Rotation(StrEnum):
    """What became of a credential when it was to be sealed with the newest key."""

    DONE = "done"
    CURRENT = "current"
    EMPTY = "empty"
    UNREADABLE = "unreadable"


def credential_rotate(slug: str) -> Rotation:
    """Seal a credential with the newest key, in one statement. One that has it already is left as it is.

    When the value was replaced in the meantime, it has the newest key, and the old one must not come back.
    """
    token = bytes(Credential.objects.filter(slug=slug).values_list("token", flat=True).first() or b"")
    keys = steward().CREDENTIAL_KEYS
    if not token:
        return Rotation.EMPTY
    if token_opens(slug, token, keys[:1]):
        return Rotation.CURRENT
    try:
        sealed = seal(slug, unseal(slug, token, keys), keys)
    except CredentialUnreadable:
        return Rotation.UNREADABLE
    # Not save(): the key itself did not change, and so neither does its date.
    Credential.objects.filter(slug=slug, token=token).update(token=sealed)
    return Rotation.DONE
