"""The stored outcome of a provider's last test, as the admin shows it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils import timezone
from django.utils.timesince import timesince
from django.utils.translation import gettext as _

from agentcore.advice import advice

MINUTE_S = 60


@dataclass(frozen=True, kw_only=True)
class ProviderStatus:
    """``age`` says in words when it was asked; the rest is empty where all was well."""

    is_ok: bool
    age: str
    code: str = ""
    message: str = ""
    advice: str = ""


def provider_status(stored: Mapping[str, Any]) -> ProviderStatus | None:
    """None where the provider was never tested, or the stored value is of another shape."""
    try:
        age = age_said(datetime.fromisoformat(str(stored["at"])))
    except (KeyError, ValueError, TypeError):
        return None
    code = str(stored.get("code") or "")
    return ProviderStatus(
        is_ok=bool(stored.get("ok")),
        age=age,
        code=code,
        message=str(stored.get("message") or ""),
        advice=advice(code),
    )


def age_said(at: datetime) -> str:
    """How long ago ``at`` is, in words."""
    if (timezone.now() - at).total_seconds() < MINUTE_S:
        return _("just now")
    return _("%(age)s ago") % {"age": timesince(at)}
