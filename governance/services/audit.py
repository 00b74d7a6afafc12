"""Writing the audit: numbered under the turn's row, each happening once."""

from uuid import UUID

from django.db import IntegrityError, connection, transaction

from agentcore.observers import Observation
from governance.masking import masked
from governance.models import AuditEvent, Turn
from governance.services.columns import fitted
from governance.services.happenings import Happening, happenings
from governance.services.turns import turn_ensure

# The request has a number that is never handed out, so that a turn opens without touching its counter.
REQUEST_SEQ = 0

_ADVANCE = """
    UPDATE governance_turn SET audit_seq = audit_seq + %s WHERE run_id = %s
    RETURNING audit_seq, EXISTS (SELECT 1 FROM governance_auditevent WHERE run_id = %s AND seq = %s)
"""


def audit_record(run_id: UUID, observations: list[Observation]) -> None:
    """Keep what ``observations`` tell the audit; the same batch again changes nothing.

    One insert, and one update of the turn's counter when there is more than the request. Only a batch that was
    partly kept before needs a look at what is there.
    """
    found = happenings(observations)
    if not found:
        return
    try:
        with transaction.atomic():
            _append(run_id, found, observations)
    except IntegrityError:
        _append_missing(run_id, found, observations)


@transaction.atomic
def _append_missing(run_id: UUID, found: list[Happening], observations: list[Observation]) -> None:
    turn_ensure(run_id, observations)
    # Whoever appends holds this lock, so what is there cannot change under us.
    Turn.objects.select_for_update().get(run_id=run_id)
    kept = set(AuditEvent.objects.filter(run_id=run_id).values_list("key", flat=True))
    _append(run_id, [item for item in found if _key(item) not in kept], observations)


def _append(run_id: UUID, found: list[Happening], observations: list[Observation]) -> None:
    requests = [item for item in found if item.action == AuditEvent.Action.REQUEST]
    numbered = [item for item in found if item.action != AuditEvent.Action.REQUEST]
    first = REQUEST_SEQ
    if numbered:
        first, request_kept = _seq_reserve(run_id, len(numbered), observations)
        requests = [] if request_kept else requests
    rows = [_row(run_id, REQUEST_SEQ, item) for item in requests]
    rows += [_row(run_id, first + offset, item) for offset, item in enumerate(numbered)]
    AuditEvent.objects.bulk_create(rows)


def _seq_reserve(run_id: UUID, count: int, observations: list[Observation]) -> tuple[int, bool]:
    """The first of ``count`` numbers that are ours, and whether the request is on record.

    Holds the turn's row until the transaction ends.
    """
    reserved = _counter_advance(run_id, count)
    if reserved is None:
        turn_ensure(run_id, observations)
        reserved = _counter_advance(run_id, count)
    if reserved is None:
        raise Turn.DoesNotExist(run_id)
    return reserved


def _counter_advance(run_id: UUID, count: int) -> tuple[int, bool] | None:
    """Add to the counter and read it in one statement, which the ORM cannot say; None without a row."""
    key = Turn._meta.get_field("run_id").get_db_prep_value(run_id, connection)
    with connection.cursor() as cursor:
        cursor.execute(_ADVANCE, [count, key, key, REQUEST_SEQ])
        row = cursor.fetchone()
    return (row[0] - count, bool(row[1])) if row else None


def _row(run_id: UUID, seq: int, item: Happening) -> AuditEvent:
    values = {
        "run_id": run_id,
        "seq": seq,
        "key": item.key,
        "action": item.action.value,
        "at": item.at,
        "actor": item.actor,
        "tool": str(item.payload.get("tool") or ""),
        "payload": masked(item.payload),
    }
    return AuditEvent(**fitted(AuditEvent, values))


def _key(item: Happening) -> str:
    return str(fitted(AuditEvent, {"key": item.key})["key"])
