"""The stored outcome of a provider's last test, as the admin shows it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from agentcore.admin.advice import advice


@dataclass(frozen=True, kw_only=True)
class ProviderStatus:
    """``at`` is when it was asked; the rest is empty where all was well."""

    is_ok: bool
    at: datetime
    duration_ms: int
    code: str = ""
    message: str = ""
    advice: str = ""


def provider_status(stored: Mapping[str, Any]) -> ProviderStatus | None:
    """None where the provider was never tested, or the stored value is of another shape."""
    try:
        at = datetime.fromisoformat(str(stored["at"]))
    except (KeyError, ValueError):
        return None
    code = str(stored.get("code") or "")
    return ProviderStatus(
        is_ok=bool(stored.get("ok")),
        at=at,
        duration_ms=int(stored.get("duration_ms") or 0),
        code=code,
        message=str(stored.get("message") or ""),
        advice=advice(code),
    )
