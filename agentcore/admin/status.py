"""The stored outcome of a provider's last test, as the admin shows it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.utils import timezone, translation
from django.utils.timesince import timesince
from django.utils.translation import gettext as _

from agentcore.advice import advice
from agentcore.errors import BY_CODE, AgentError

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
        message=_message(code, str(stored.get("message") or "")),
        advice=advice(code),
    )


def _message(code: str, stored: str) -> str:
    """What was said, in the language of who tested: the code's own words are said again in that of who looks."""
    kind = BY_CODE.get(code)
    return str(kind.text) if kind and stored in _in_all_languages(kind) else stored


def _in_all_languages(kind: type[AgentError]) -> list[str]:
    said = []
    for language, _name in settings.LANGUAGES:
        with translation.override(language):
            said.append(str(kind.text))
    return said


def age_said(at: datetime) -> str:
    """How long ago ``at`` is, in words."""
    if (timezone.now() - at).total_seconds() < MINUTE_S:
        return _("just now")
    return _("%(age)s ago") % {"age": timesince(at)}
