"""Questions: what a page or an endpoint asks of the ledger."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any
from uuid import UUID

from django.db.models import Q

from governance.days import DAY, Span, midnight


@dataclass(frozen=True, kw_only=True)
class Question:
    """``condition`` is ``filters`` and what ``span`` asks of a row; ``asked`` has the value of each filter by name."""

    condition: Q = field(default_factory=Q)
    filters: Q = field(default_factory=Q)
    span: Span = field(default_factory=Span)
    asked: Mapping[str, Any] = field(default_factory=dict)

    @property
    def currency(self) -> str:
        return str(self.asked.get("currency", ""))


def begun_during(span: Span) -> Q:
    """Runs whose ids begin in ``span``: they begin with their time, and the audit's indexes are over them."""
    since = Q(run_id__gte=_first_id(span.first)) if span.first else Q()
    return since & Q(run_id__lt=_first_id(span.last + DAY)) if span.last else since


def _first_id(day: date) -> UUID:
    """The least id of a run that begins on ``day``."""
    return UUID(int=int(midnight(day).timestamp() * 1000) << 80)


def since_midnight(name: str, span: Span) -> Q:
    """A moment of ``span``; the whole of the last day belongs to it."""
    found = Q(**{f"{name}__gte": midnight(span.first)}) if span.first else Q()
    return found & Q(**{f"{name}__lt": midnight(span.last + DAY)}) if span.last else found
