"""The redactor of this site: it knows the shapes of secrets, and the exact values of all its credentials."""

from typing import Any

from django.db.models.signals import post_delete, post_save

from agentcore.clock import CLOCK
from agentcore.models import Credential
from agentcore.redaction import Redactor
from agentcore.services.credentials import credential_values

# Another process may store a credential; in this one a change is known at once.
FRESH_S = 30.0

_kept: list[tuple[float, Redactor]] = []


def redactor() -> Redactor:
    """The site's redactor, synchronous. 1 query every ``FRESH_S``, else none."""
    now = CLOCK.monotonic()
    for read_at, kept in _kept:
        if now - read_at < FRESH_S:
            return kept
    made = Redactor(credential_values())
    _kept[:] = [(now, made)]
    return made


def redactor_forget(**_signal: Any) -> None:
    """Read the credentials again the next time."""
    _kept.clear()


for _changed in (post_save, post_delete):
    _changed.connect(redactor_forget, sender=Credential, dispatch_uid="agentcore.services.redaction")
