"""Values as the ledger's columns hold them, so that no odd upstream value loses a record."""

from decimal import Decimal
from typing import Any

from django.db import models

from agentcore.messages import Usage
from agentcore.observers import Cost
from agentcore.text import clean_text

_LARGEST = 2**53
_PLACES = Decimal(1).scaleb(-10)
_DEAREST = Decimal(10) ** 10


def fitted(model: type[models.Model], values: dict[str, Any]) -> dict[str, Any]:
    """``values`` with each text cleaned and cut to the length of its column."""
    return {name: _text_fitted(model, name, value) for name, value in values.items()}


def _text_fitted(model: type[models.Model], name: str, value: Any) -> Any:
    if not isinstance(value, str):
        return value
    return clean_text(value)[: getattr(model._meta.get_field(name), "max_length", None)]


def metered(usage: Usage, cost: Cost) -> dict[str, Any]:
    """The columns of ``Metered``."""
    return {
        "input_tokens": counted(usage.input_tokens),
        "output_tokens": counted(usage.output_tokens),
        "cached_input_tokens": counted(usage.cached_input_tokens),
        "cache_write_tokens": counted(usage.cache_write_tokens),
        "reasoning_tokens": counted(usage.reasoning_tokens),
        "usage_estimated": usage.estimated,
        "cost": _amount(cost.amount),
        "currency": cost.currency,
    }


def counted(number: int) -> int:
    """A count between zero and what JSON and both databases hold exactly."""
    return max(0, min(int(number), _LARGEST))


def _amount(amount: Decimal | None) -> Decimal | None:
    """The amount to ten places; one that no column holds counts as unknown rather than losing the turn."""
    if amount is None or not amount.is_finite() or abs(amount) >= _DEAREST:
        return None
    return amount.quantize(_PLACES)
