"""API tokens: issued once, stored as a hash, revoked for good."""

from collections.abc import Iterable
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from agentcore.clock import CLOCK
from agentcore.errors import Forbidden, ValidationFailed
from agentcore.models import ApiToken


@transaction.atomic
def token_issue(*, by: Any, user: Any, name: str) -> tuple[ApiToken, str]:
    """A token of ``user`` and its value, which is shown this once and never again.

    Raises:
        Forbidden: only a superuser makes tokens for others; a token may do what its user may.
        ValidationFailed: the user may not log in.
    """
    if by.pk != user.pk and not by.is_superuser:
        raise Forbidden(_("You can make tokens for yourself only."))
    if not user.is_active:
        raise ValidationFailed(_("This user may not log in, so a token would be of no use."))
    return ApiToken.issue(user=user, name=name)


def tokens_revoke(pks: Iterable[int]) -> int:
    """Refuse these tokens from now on; how many were valid until now. Safe to repeat."""
    return ApiToken.objects.filter(pk__in=list(pks), revoked_at=None).update(revoked_at=CLOCK.now())
