"""Runs as rows: opened with their message, closed with their last event, each in one transaction."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from agentcore.conf import cleared_with_settings, loaded, steward
from agentcore.constraints import constraint_of
from agentcore.errors import Conflict, ConversationBusy, NotFound
from agentcore.events import Event, EventType
from agentcore.ids import uuid7
from agentcore.messages import Message, Role
from agentcore.models import Run, RunStep
from agentcore.services.events import event_rows
from agentcore.services.leases import LeaseLost, lease_end
from agentcore.services.plans import Plan
from agentcore.store import ConversationStore

_store: list[ConversationStore | None] = []
cleared_with_settings(_store.clear)


def conversation_store() -> ConversationStore | None:
    """The site's store, or None when the site keeps no conversations."""
    if not _store:
        found = loaded([steward().CONVERSATION_STORE])
        _store.append(found[0]() if found else None)
    return _store[0]


def conversation_agent(conversation_id: UUID, user: Any) -> str | None:
    """Who answers in a conversation unless the person asks for another; None leaves it to the site. 1 query.

    Raises:
        NotFound: the conversation is unknown or somebody else's.
    """
    store = conversation_store()
    return (store.agent_of(conversation_id=conversation_id, user=user) or None) if store else None


@dataclass(frozen=True, kw_only=True)
class NewRun:
    """What a run is opened with."""

    input: str
    plan: Plan
    conversation_id: UUID | None
    purpose: str
    send_id: str | None
    send_hash: str
    owner: str
    # Without one nothing that was said is kept.
    in_conversation: bool = True


@dataclass(frozen=True, kw_only=True)
class Opened:
    """An open run. ``event`` is its ``RunStarted``, stored with it."""

    run: Run
    event: Event


def run_open(new: NewRun) -> Opened:
    """Open a run and its turn. The database's constraints decide, so two tabs cannot both win.

    Raises:
        NotFound: the conversation is unknown or somebody else's.
        ConversationBusy: it has a run that has not ended.
        Conflict: the ``send_id`` has its run, see ``run_sent_before``.
    """
    try:
        with transaction.atomic():
            return _insert(new)
    except IntegrityError as error:
        match constraint_of(error):
            case "run_one_open_in_conversation":
                raise ConversationBusy() from None
            case "run_send_id_once":
                raise Conflict() from None
        raise


def _insert(new: NewRun) -> Opened:
    run_id, now = uuid7(), timezone.now()
    run = _run(new, run_id, _turn_open(new, run_id), now)
    run.save(force_insert=True)
    data = {"agent": run.agent, "input": run.input, "config": run.config}
    event = Event(run_id, 0, EventType.RUN_STARTED, now, data)
    event_rows([event])[0].save(force_insert=True)
    return Opened(run=run, event=event)


def _turn_open(new: NewRun, run_id: UUID) -> UUID | None:
    store = conversation_store() if new.in_conversation else None
    if store is not None:
        return store.turn_open(
            run_id=run_id,
            conversation_id=new.conversation_id,
            user=new.plan.caller.user,
            agent=new.plan.agent,
            message=Message.of(Role.USER, new.input),
        )
    if new.conversation_id is not None:
        raise NotFound(_("This site keeps no conversations."))
    return None


def _run(new: NewRun, run_id: UUID, conversation_id: UUID | None, now: datetime) -> Run:
    plan, caller, route = new.plan, new.plan.caller, new.plan.routes[0].route
    return Run(
        id=run_id,
        user=caller.user,
        username=caller.username,
        tenant=caller.tenant,
        locale=caller.locale,
        conversation_id=conversation_id,
        purpose=new.purpose,
        agent=plan.agent,
        status=Run.Status.RUNNING,
        input=new.input,
        requested_provider_id=route.provider_id,
        requested_model=route.model,
        config=plan.config,
        send_id=new.send_id,
        send_hash=new.send_hash,
        owner=new.owner,
        fence=1,
        lease_expires_at=lease_end(),
        last_sequence=0,
        started_at=now,
    )


def run_sent_before(*, user: Any, send_id: str, send_hash: str) -> Run | None:
    """The run that an earlier send with this id made.

    Raises:
        Conflict: that one had another content.
    """
    run = Run.objects.filter(user=user, send_id=send_id).first()
    if run is not None and run.send_hash != send_hash:
        raise Conflict(_("This send_id was used for another text."))
    return run


@dataclass(frozen=True, kw_only=True)
class RunEnding:
    """How a run ended. ``cost`` is None when a price is unknown."""

    status: str
    finish_reason: str = ""
    cancel_reason: str = ""
    output: str = ""
    messages: tuple[Message, ...] = ()
    provider_id: str = ""
    model: str = ""
    usage: Mapping[str, Any]
    cost: Decimal | None
    currency: str
    model_calls: int
    error: dict[str, str] | None = None
    last_sequence: int
    finished_at: datetime


def run_close(*, run_id: UUID, conversation_id: UUID | None, fence: int, ending: RunEnding) -> None:
    """End a run and its turn, in the transaction of its last event.

    Raises:
        LeaseLost: another owner has it, or it has ended.
    """
    fields = {name: value for name, value in vars(ending).items() if name != "messages"}
    closed = Run.objects.open().filter(id=run_id, fence=fence)
    if not closed.update(**fields, lease_expires_at=None):
        raise LeaseLost(run_id)
    RunStep.objects.filter(run_id=run_id).delete()
    store = conversation_store()
    if store is not None and conversation_id is not None:
        store.turn_close(
            run_id=run_id,
            conversation_id=conversation_id,
            messages=list(ending.messages),
            status=ending.status,
        )


def run_recorded(run_id: UUID) -> None:
    """Note that the observers have kept the end of the run."""
    Run.objects.filter(id=run_id).update(recorded_at=timezone.now())


def run_ask_to_stop(run_id: UUID, reason: str) -> bool:
    """Ask whichever process executes the run to stop it; False when it has ended or was asked before."""
    return bool(Run.objects.open().filter(id=run_id, cancel_requested="").update(cancel_requested=reason))
