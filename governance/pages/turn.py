"""One turn: its facts, its model calls, its events in order, its audit."""

from collections.abc import Sequence
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from governance.days import zone_name
from governance.models import ModelCall, Turn
from governance.pages.cells import Cell, count, duration, moment, money, route
from governance.pages.events import audit_lines, event_lines
from governance.pages.page import Card, Column
from governance.pages.reasons import reason_words
from governance.pages.renderer import query, table_rows
from governance.pages.turns import route_cell, status_cell, tokens_text
from governance.pages.withholding import may_read_text
from governance.selectors import TurnRecord

_ENDS_WELL = {ModelCall.OK: "ok", ModelCall.CANCELLED: "quiet", ModelCall.INTERRUPTED: "warn", "": "live"}


def outcome_cell(call: ModelCall) -> Cell:
    labels = {
        "": _("running"),
        ModelCall.OK: _("answered"),
        ModelCall.CANCELLED: _("cancelled"),
        ModelCall.INTERRUPTED: _("interrupted"),
    }
    if call.outcome not in labels:
        return Cell(text=_("failed"), tone="danger", note=call.outcome)
    return Cell(text=labels[call.outcome], tone=_ENDS_WELL[call.outcome], note=reason_words(call.finish_reason))


def _cost_cell(call: ModelCall) -> Cell:
    prices = ", ".join(f"{name} {price}" for name, price in call.prices.items())
    return Cell(text=money(call.cost, call.currency) if call.outcome else count(None), title=prices)


CALL_COLUMNS = (
    Column(
        label=gettext_lazy("Step"),
        cell=lambda call: Cell(
            text=str(call.step),
            note=_("attempt %(number)s") % {"number": call.attempt} if call.attempt > 1 else "",
        ),
        is_lead=True,
    ),
    Column(label=gettext_lazy("Outcome"), cell=outcome_cell, is_lead=True),
    Column(
        label=gettext_lazy("Model"),
        cell=lambda call: Cell(
            text=route(call.provider_id, call.model),
            note=_("after %(reason)s") % {"reason": call.retry_reason} if call.retry_reason else "",
            is_code=True,
        ),
    ),
    Column(
        label=gettext_lazy("Input"), cell=lambda call: Cell(text=tokens_text(call.input_tokens, call)), is_numeric=True
    ),
    Column(label=gettext_lazy("Cached"), cell=lambda call: Cell(text=count(call.cached_input_tokens)), is_numeric=True),
    Column(
        label=gettext_lazy("Output"),
        cell=lambda call: Cell(text=tokens_text(call.output_tokens, call)),
        is_numeric=True,
    ),
    Column(label=gettext_lazy("Cost"), cell=_cost_cell, is_numeric=True),
    Column(
        label=gettext_lazy("First token"), cell=lambda call: Cell(text=duration(call.first_token_ms)), is_numeric=True
    ),
    Column(label=gettext_lazy("Duration"), cell=lambda call: Cell(text=duration(call.duration_ms)), is_numeric=True),
)


def turn_context(record: TurnRecord, user: Any, after: int) -> dict[str, Any]:
    """What ``governance/turn.html`` shows ``user``; the text only to the run's owner."""
    turn = record.turn
    may_read = may_read_text(turn, user)
    events = event_lines(record.events, began=turn.started_at, may_read=may_read)
    audit = record.audit and audit_lines(record.audit, began=turn.started_at, may_read=may_read)
    return {
        "turn": turn,
        "status": status_cell(turn),
        "may_read": may_read,
        "cards": turn_cards(turn),
        "facts": turn_facts(turn),
        "columns": CALL_COLUMNS,
        "rows": table_rows(CALL_COLUMNS, record.calls),
        "events": events,
        "audit": audit,
        "is_start": after < 0,
        "more": query({"after": str(record.more_after)}) if record.more_after is not None else "",
        "time_zone": zone_name(),
    }


def turn_cards(turn: Turn) -> list[Card]:
    tools = ngettext("%(count)s tool call", "%(count)s tool calls", turn.tool_calls)
    return [
        Card(
            label=_("Input tokens"),
            value=tokens_text(turn.input_tokens, turn),
            note=_cache_note(turn),
        ),
        Card(
            label=_("Output tokens"),
            value=tokens_text(turn.output_tokens, turn),
            note=_("%(count)s for reasoning") % {"count": count(turn.reasoning_tokens)}
            if turn.reasoning_tokens
            else "",
        ),
        Card(
            label=_("Cost"),
            value=count(None) if turn.is_open else money(turn.cost, turn.currency),
            note=_("tokens were estimated") if turn.usage_estimated else "",
        ),
        Card(label=_("Model calls"), value=count(turn.model_calls), note=tools % {"count": count(turn.tool_calls)}),
        Card(label=_("Duration"), value=duration(turn.duration_ms)),
    ]


def _cache_note(turn: Turn) -> str:
    if turn.cache_write_tokens:
        numbers = {"cached": count(turn.cached_input_tokens), "written": count(turn.cache_write_tokens)}
        return _("%(cached)s from cache, %(written)s written to it") % numbers
    return _("%(count)s from cache") % {"count": count(turn.cached_input_tokens)} if turn.cached_input_tokens else ""


def turn_facts(turn: Turn) -> Sequence[tuple[str, Cell]]:
    """Name and value, those without a value left out."""
    ledger = reverse("governance:turns")
    facts = [
        (_("User"), Cell(text=turn.username, href=ledger + query({"user": turn.username}))),
        (_("Tenant"), Cell(text=turn.tenant)),
        (_("Agent"), Cell(text=turn.agent, href=ledger + query({"agent": turn.agent}))),
        (_("Purpose"), Cell(text=turn.purpose, is_code=True)),
        (_("Model"), route_cell(turn)),
        (_("Started"), Cell(text=moment(turn.started_at))),
        (_("Finished"), Cell(text=moment(turn.finished_at) if turn.finished_at else "")),
        (_("Finish reason"), Cell(text=reason_words(turn.finish_reason))),
        (_("Cancelled by"), Cell(text=reason_words(turn.cancel_reason))),
        (
            _("Error"),
            Cell(text=turn.error_code, href=ledger + query({"error_code": turn.error_code}), is_code=True),
        ),
        (_("Conversation"), _conversation(turn, ledger)),
        (_("Run"), Cell(text=str(turn.run_id), is_code=True)),
    ]
    return [(name, cell) for name, cell in facts if cell.text]


def _conversation(turn: Turn, ledger: str) -> Cell:
    if turn.conversation_id is None:
        return Cell(text="")
    conversation = str(turn.conversation_id)
    return Cell(text=conversation, href=ledger + query({"conversation_id": conversation}), is_code=True)
