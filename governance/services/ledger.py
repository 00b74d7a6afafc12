"""Writing the ledger: a batch of observations of one run, in one transaction."""

from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Sum

from agentcore.observers import ModelCallFinished, ModelCallStarted, Observation, RunEnded
from governance.models import ModelCall, Turn
from governance.services.columns import counted, fitted, metered
from governance.services.turns import first_of, turn_put

_TOKENS = ("input_tokens", "output_tokens", "cached_input_tokens", "cache_write_tokens", "reasoning_tokens")
_ATTEMPT = ["run_id", "step", "attempt"]
_FINISH = [
    *("provider_id", "model", "outcome", "finish_reason", "prices", "retry_reason"),
    *("first_token_ms", "duration_ms", "finished_at", "cost", "currency", "usage_estimated"),
    *_TOKENS,
]


@transaction.atomic
def ledger_record(run_id: UUID, observations: list[Observation]) -> None:
    """Keep what ``observations`` say of the turn and its model calls; the same batch again changes nothing.

    At most one statement for the turn, two for its attempts, and one that closes attempts whose end was never seen; a
    few more when there are some.
    """
    turn_put(run_id, observations)
    _calls_put(run_id, observations)
    ended = first_of(RunEnded, observations)
    if ended:
        open_calls = ModelCall.objects.filter(run_id=run_id, outcome="")
        if open_calls.update(outcome=ModelCall.INTERRUPTED, finished_at=ended.at, usage_estimated=True):
            _rest_charge(run_id, ended)
        if ended.status != Turn.Status.COMPLETED:
            _attempts_recount(run_id)


def _rest_charge(run_id: UUID, ended: RunEnded) -> None:
    """Charge the attempt that was cut off with what the turn used beside the others, so that the sum is the turn's."""
    calls = ModelCall.objects.filter(run_id=run_id)
    cut_off = calls.filter(outcome=ModelCall.INTERRUPTED).latest("step", "attempt")
    others = calls.exclude(pk=cut_off.pk).aggregate(**{name: Sum(name, default=0) for name in (*_TOKENS, "cost")})
    turn = metered(ended.usage, ended.cost)
    rest = {name: max(0, turn[name] - others[name]) for name in _TOKENS}
    cost = None if turn["cost"] is None else max(Decimal(0), turn["cost"] - others["cost"])
    ModelCall.objects.filter(pk=cut_off.pk).update(**rest, cost=cost, currency=turn["currency"])


def _attempts_recount(run_id: UUID) -> None:
    """Count the attempts anew: a process that was killed may have made one that its log does not know of."""
    calls = ModelCall.objects.filter(run_id=run_id)
    if calls.filter(outcome=ModelCall.INTERRUPTED).exists():
        Turn.objects.filter(run_id=run_id).update(model_calls=calls.count(), usage_estimated=True)


def _calls_put(run_id: UUID, observations: list[Observation]) -> None:
    started = {(item.step, item.attempt): item for item in observations if isinstance(item, ModelCallStarted)}
    finished = {(item.step, item.attempt): item for item in observations if isinstance(item, ModelCallFinished)}
    opened = [ModelCall(**_opened(run_id, item)) for key, item in started.items() if key not in finished]
    ended = [ModelCall(**_finished(run_id, item, started.get(key))) for key, item in finished.items()]
    if opened:
        ModelCall.objects.bulk_create(opened, ignore_conflicts=True)
    if ended:
        ModelCall.objects.bulk_create(ended, update_conflicts=True, unique_fields=_ATTEMPT, update_fields=_FINISH)


def _opened(run_id: UUID, item: ModelCallStarted) -> dict[str, Any]:
    return fitted(
        ModelCall,
        {
            "run_id": run_id,
            "step": item.step,
            "attempt": item.attempt,
            "provider_id": item.route.provider_id,
            "model": item.route.model,
            "retry_reason": item.retry_reason,
            "started_at": item.at,
        },
    )


def _finished(run_id: UUID, item: ModelCallFinished, started: ModelCallStarted | None) -> dict[str, Any]:
    began = started.at if started else item.at - timedelta(milliseconds=item.duration_ms)
    return fitted(
        ModelCall,
        {
            "run_id": run_id,
            "step": item.step,
            "attempt": item.attempt,
            "provider_id": item.route.provider_id,
            "model": item.route.model,
            "outcome": item.outcome,
            "finish_reason": item.finish_reason,
            **metered(item.usage, item.cost),
            "prices": item.cost.prices,
            "first_token_ms": None if item.first_token_ms is None else counted(item.first_token_ms),
            "duration_ms": counted(item.duration_ms),
            "retry_reason": item.retry_reason,
            "started_at": began,
            "finished_at": item.at,
        },
    )
