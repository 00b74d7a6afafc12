"""A ledger that looks like a site's: people, agents, models, prices, failures, eight weeks of office hours.

The same number makes the same ledger, but for its moments, which end now. What it makes has the purpose ``seed``.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from random import Random
from uuid import UUID

from django.db import connection, transaction
from django.utils import timezone

from governance.models import AuditEvent, ModelCall, Turn, UsageDay
from governance.services.rollups import days_close

PURPOSE = "seed"
DAYS = 56
_TURNS_A_BATCH = 2_000

_PEOPLE = (
    "amara",
    "bjorn",
    "chen.wei",
    "dalia",
    "emeka",
    "fatima",
    "giulia",
    "hiro",
    "ines",
    "jonas",
    "kavya",
    "li.na",
)
_AGENTS, _AGENT_WEIGHTS = ("assistant", "research", "back-office"), (70, 20, 10)
_TOOLS, _TOOL_WEIGHTS = ("search_flights", "get_weather", "notes.search", "math.add", "time.now"), (40, 25, 20, 10, 5)
_ERRORS = ("PROVIDER_TIMEOUT", "PROVIDER_RATE_LIMITED", "PROVIDER_UNAVAILABLE", "RUN_TIMEOUT", "INTERNAL_ERROR")
_STATUSES, _STATUS_WEIGHTS = (Turn.Status.COMPLETED, Turn.Status.FAILED, Turn.Status.CANCELLED), (93, 5, 2)
# How busy each hour of a day is, and each day of a week.
_HOURS = (1, 1, 1, 1, 1, 2, 4, 8, 14, 18, 18, 16, 12, 16, 18, 17, 14, 10, 7, 6, 5, 4, 2, 1)
_WEEKDAYS = (10, 11, 11, 10, 9, 3, 2)
_MILLION, _PLACES = Decimal(1_000_000), Decimal(1).scaleb(-10)


@dataclass(frozen=True)
class Offer:
    """A model of a provider, and what a million tokens of input, cached input and output cost, if that is known."""

    provider_id: str
    model: str
    prices: tuple[str, str, str] | None
    currency: str = "USD"


_OFFERS = (
    Offer("openai", "gpt-4.1-mini", ("0.40", "0.10", "1.60")),
    Offer("anthropic", "claude-sonnet-4-5", ("3.00", "0.30", "15.00")),
    Offer("anthropic", "claude-haiku-4-5", ("1.00", "0.10", "5.00")),
    Offer("openai", "gpt-4.1", ("2.00", "0.50", "8.00")),
    Offer("mistral", "mistral-medium-latest", ("0.40", "0.40", "2.00"), "EUR"),
    Offer("local", "qwen2.5-coder-0.5b", None),
)
_OFFER_WEIGHTS = (30, 22, 16, 14, 10, 8)


@dataclass
class Batch:
    """Rows that are ready to be inserted."""

    turns: list[Turn] = field(default_factory=list)
    calls: list[ModelCall] = field(default_factory=list)
    events: list[AuditEvent] = field(default_factory=list)


def ledger_is_real() -> bool:
    """Whether somebody's own turns are on record. 1 query."""
    return Turn.objects.exclude(purpose=PURPOSE).exists()


def ledger_seed(turns: int, *, days: int = DAYS) -> None:
    """Add ``turns`` turns with their model calls and audit events, and roll up the days that are over."""
    random, now = Random(turns), timezone.now()
    moments = sorted(_moments(random, now, turns, days))
    for start in range(0, turns, _TURNS_A_BATCH):
        batch = Batch()
        for moment in moments[start : start + _TURNS_A_BATCH]:
            _turn_add(batch, random, moment)
        _insert(batch)
    UsageDay.objects.update(is_closed=False)
    days_close()
    if connection.vendor == "postgresql":
        # Its planner learns of so many new rows only when it next looks by itself.
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE governance_turn, governance_modelcall, governance_auditevent")


@transaction.atomic
def _insert(batch: Batch) -> None:
    Turn.objects.bulk_create(batch.turns)
    ModelCall.objects.bulk_create(batch.calls)
    AuditEvent.objects.bulk_create(batch.events)


def _moments(random: Random, now: datetime, count: int, span: int) -> Iterator[datetime]:
    days = [now - timedelta(days=back) for back in range(span)]
    weights = [_WEEKDAYS[day.weekday()] for day in days]
    for day in random.choices(days, weights, k=count):
        hour = random.choices(range(24), _HOURS)[0]
        at = day.replace(hour=hour, minute=random.randrange(60), second=random.randrange(60), microsecond=0)
        # What would be still to come today is what came a week ago.
        yield at if at < now - timedelta(minutes=5) else at - timedelta(days=7)


def _turn_add(batch: Batch, random: Random, at: datetime) -> None:
    run_id, offer = _run_id(random, at), random.choices(_OFFERS, _OFFER_WEIGHTS)[0]
    person = min(int(random.expovariate(0.35)), len(_PEOPLE) - 1)
    status = random.choices(_STATUSES, _STATUS_WEIGHTS)[0]
    tools = random.choices(_TOOLS, _TOOL_WEIGHTS, k=random.choices((0, 1, 2), (55, 35, 10))[0])
    calls = list(_calls(random, run_id, at, offer, len(tools) + 1))
    if status == Turn.Status.FAILED:
        calls[-1].outcome = random.choice(_ERRORS)
    spent = [call.cost for call in calls if call.cost is not None]
    turn = Turn(
        run_id=run_id,
        user_id=f"seed-{person}",
        username=_PEOPLE[person],
        agent=random.choices(_AGENTS, _AGENT_WEIGHTS)[0],
        conversation_id=UUID(int=random.getrandbits(128), version=4),
        purpose=PURPOSE,
        requested_provider_id=offer.provider_id,
        requested_model=offer.model,
        provider_id=offer.provider_id if status == Turn.Status.COMPLETED else "",
        model=offer.model if status == Turn.Status.COMPLETED else "",
        status=status,
        finish_reason="stop" if status == Turn.Status.COMPLETED else "",
        cancel_reason="user" if status == Turn.Status.CANCELLED else "",
        error_code=calls[-1].outcome if status == Turn.Status.FAILED else "",
        model_calls=len(calls),
        tool_calls=len(tools),
        input_tokens=sum(call.input_tokens for call in calls),
        cached_input_tokens=sum(call.cached_input_tokens for call in calls),
        output_tokens=sum(call.output_tokens for call in calls),
        cost=sum(spent, Decimal()) if spent else None,
        currency=offer.currency,
        started_at=at,
        finished_at=calls[-1].finished_at,
        duration_ms=sum(call.duration_ms or 0 for call in calls),
    )
    events = list(_events(turn, tools))
    turn.audit_seq = len(events)
    batch.turns.append(turn)
    batch.calls.extend(calls)
    batch.events.extend(events)


def _run_id(random: Random, at: datetime) -> UUID:
    """As a run's own: version 7, of that moment."""
    value = int(at.timestamp() * 1000) << 80 | 0x7 << 76 | random.getrandbits(12) << 64
    return UUID(int=value | 0b10 << 62 | random.getrandbits(62))


def _calls(random: Random, run_id: UUID, at: datetime, offer: Offer, steps: int) -> Iterator[ModelCall]:
    read = int(random.lognormvariate(7.2, 0.6))
    for step in range(1, steps + 1):
        written, cached = int(random.lognormvariate(5.2, 0.7)), int(read * random.choice((0, 0, 0.4, 0.8)))
        lasted = int(random.lognormvariate(7.3, 0.5))
        yield ModelCall(
            run_id=run_id,
            step=step,
            attempt=1,
            provider_id=offer.provider_id,
            model=offer.model,
            outcome=ModelCall.OK,
            finish_reason="stop" if step == steps else "tool_calls",
            input_tokens=read,
            cached_input_tokens=cached,
            output_tokens=written,
            cost=_cost(offer, read, cached, written),
            currency=offer.currency,
            prices=dict(zip(("input", "cached_input", "output"), offer.prices or (), strict=False)),
            first_token_ms=lasted // 4,
            duration_ms=lasted,
            started_at=at,
            finished_at=at + timedelta(milliseconds=lasted),
        )
        at, read = at + timedelta(milliseconds=lasted + 120), read + written + 80


def _cost(offer: Offer, read: int, cached: int, written: int) -> Decimal | None:
    if offer.prices is None:
        return None
    base, cheap, output = (Decimal(price) for price in offer.prices)
    return (((read - cached) * base + cached * cheap + written * output) / _MILLION).quantize(_PLACES)


def _events(turn: Turn, tools: list[str]) -> Iterator[AuditEvent]:
    """The request, each call with its result, an error, and the end."""
    told: list[tuple[str, str, dict[str, object]]] = [
        ("request", turn.username, {"input": "A seeded question.", "agent": turn.agent, "purpose": PURPOSE})
    ]
    for number, tool in enumerate(tools):
        call = {"call_id": f"call-{number}", "tool": tool, "step": number + 1}
        told.append(("tool_call", "agent", {**call, "effect": "read", "arguments": {"query": "seeded"}}))
        told.append(("tool_result", "agent", {**call, "status": "done", "result": "seeded", "duration_ms": 40}))
    if turn.error_code:
        told.append(("error", "system", {"error": {"code": turn.error_code, "message": "A seeded failure."}}))
    actor = {"completed": "agent", "failed": "system"}.get(turn.status, turn.username)
    told.append(("stop", actor, {"status": turn.status, "duration_ms": turn.duration_ms}))
    for seq, (action, who, payload) in enumerate(told):
        at = turn.started_at + timedelta(milliseconds=(turn.duration_ms or 0) * seq // (len(told) - 1))
        tool = str(payload.get("tool", ""))
        yield AuditEvent(
            run_id=turn.run_id,
            seq=seq,
            key=f"{action}:{seq}",
            action=action,
            at=at,
            actor=who,
            tool=tool,
            payload=payload,
        )
