"""The one service behind the socket, the REST views and ``ask``: start a run, stop it, follow it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from agentcore.bridge import (
    aconversation_agent,
    aevents_after,
    aplan_load,
    arun_ask_to_stop,
    arun_is_over,
    arun_open,
    arun_sent_before,
    arun_visible,
)
from agentcore.conf import steward
from agentcore.errors import AgentError, ConversationBusy, TooManyRuns
from agentcore.events import Event
from agentcore.models import Run
from agentcore.runs.assembly import assemble
from agentcore.runs.bus import Watch
from agentcore.runs.engine import Assemble
from agentcore.runs.recovery import close_orphans
from agentcore.runs.requests import RunRequest
from agentcore.runs.runtime import Opening, Runtime, runtime
from agentcore.services.plans import Plan, Wish
from agentcore.services.runs import NewRun

PAGE = 500
# Runs of other processes are also looked up this often, so that a lost wake-up is a delay and never a hole.
POLL_S = 1.0
RETRY_AFTER_S = 2.0


@dataclass(frozen=True, kw_only=True)
class Started:
    """``created`` is False when the send was a repetition: the run is the one of the first time."""

    run_id: UUID
    conversation_id: UUID | None
    created: bool


async def start_run(request: RunRequest, *, user: Any, locale: str = "en", purpose: str = "chat") -> Started:
    """Open a run for ``user`` and start it. It goes on whatever happens to the caller.

    A send that is repeated gets the run of the first time, also when a new one would be refused by now.

    Raises:
        AgentError: it was refused, and nothing was stored.
    """
    process = runtime()
    process.start()
    try:
        return await _start(process, request, user=user, locale=locale, purpose=purpose)
    except AgentError as refusal:
        earlier = await _sent_before(request, user)
        if earlier is not None:
            return earlier
        # The owner of an open run may be gone: that is known at once, and then the way is free. Its record is left
        # to the timer, so that nobody who sends waits for an observer.
        if not isinstance(refusal, ConversationBusy | TooManyRuns) or not await close_orphans(process.engine.jobs):
            raise
    return await _start(process, request, user=user, locale=locale, purpose=purpose)


async def _sent_before(request: RunRequest, user: Any) -> Started | None:
    if request.send_id is None:
        return None
    run = await arun_sent_before(user=user, send_id=request.send_id, send_hash=request.content_hash())
    return Started(run_id=run.id, conversation_id=run.conversation_id, created=False) if run else None


async def _start(process: Runtime, request: RunRequest, *, user: Any, locale: str, purpose: str) -> Started:
    async def load() -> Plan:
        return await aplan_load(await _wish(request, user), user=user, locale=locale)

    def new(plan: Plan) -> NewRun:
        return NewRun(
            # A person's words are theirs, but for the site's own keys.
            input=plan.redactor.without_credentials(request.input),
            plan=plan,
            conversation_id=request.conversation_id,
            purpose=purpose,
            send_id=request.send_id,
            send_hash=request.content_hash(),
            owner=process.owner,
        )

    return await begin(process, Opening(user.pk, request.send_id), load, new)


async def begin(
    process: Runtime,
    opening: Opening,
    load: Callable[[], Awaitable[Plan]],
    new: Callable[[Plan], NewRun],
    answering: Assemble = assemble,
) -> Started:
    """Open the run that ``new`` makes of its plan, within the limits, and execute it.

    Raises:
        TooManyRuns: of this process, or of this person.
    """
    _check_limits(process, opening)
    process.opening.append(opening)
    try:
        plan = await load()
        _check_limits(process, opening, plan.runs_elsewhere)
        return await asyncio.shield(_open_and_execute(process, new(plan), answering))
    finally:
        process.opening.remove(opening)


async def _wish(request: RunRequest, user: Any) -> Wish:
    agent = request.agent
    if agent is None and request.conversation_id is not None:
        agent = await aconversation_agent(request.conversation_id, user)
    return Wish(
        agent=agent,
        provider_id=request.provider_id,
        model=request.model,
        allowed_tools=request.allowed_tools,
        max_steps=request.max_steps,
        timeout_s=request.timeout_s,
        token_budget=request.token_budget,
        network=request.network,
    )


async def _open_and_execute(process: Runtime, new: NewRun, answering: Assemble) -> Started:
    """Shielded: a caller that leaves between the commit and the start must not leave a run that nobody executes."""
    opened = await arun_open(new)
    process.execute(opened.run, new.plan, opened.event, answering)
    return Started(run_id=opened.run.id, conversation_id=opened.run.conversation_id, created=True)


def _check_limits(process: Runtime, new: Opening, elsewhere: int = 0) -> None:
    """
    Raises:
        TooManyRuns: of this process, or of this person here and ``elsewhere``.
    """
    # A send that comes twice at once opens one run: the database lets only one of them through.
    others = [other for other in process.opening if other is not new and (other.send_id is None or other != new)]
    users = [*(other.user_id for other in others), *(job.run.user_id for job in process.engine.jobs.values())]
    own = users.count(new.user_id) + elsewhere
    if len(users) >= steward().MAX_CONCURRENT_RUNS or own >= steward().MAX_CONCURRENT_RUNS_PER_USER:
        raise TooManyRuns(retry_after_s=RETRY_AFTER_S)


async def cancel_run(run_id: UUID, *, user: Any, reason: str = "user") -> Run:
    """Stop a run of ``user``, in whichever process it is; stopping one that has ended changes nothing.

    Raises:
        NotFound: unknown, or somebody else's.
    """
    run = await arun_visible(run_id, user)
    if run.is_open and not runtime().engine.stop(run_id, reason):
        await arun_ask_to_stop(run_id, reason)
    return run


async def follow(run_id: UUID, after: int = -1, *, silence_s: float | None = None) -> AsyncIterator[list[Event]]:
    """The events of a run after a sequence, in batches, until its last one.

    Replays from the database, then follows the live run; a reader that falls behind the live buffer reads the
    database again, so it never holds up the run or another reader. With ``silence_s`` an empty batch comes after
    that many seconds without an event. The caller has checked that the reader may see the run.
    """
    quiet_s, process, watch = 0.0, runtime(), Watch(run_id)
    is_watching = False
    try:
        while True:
            live = process.live.get(run_id)
            is_over = live is None and await arun_is_over(run_id)
            if live is None and not is_over and not is_watching:
                is_watching = True
                await process.bus.join(watch)
            # Taken before reading, so that no wake-up between the read and the wait is missed.
            changed = live.changed if live else watch.changed
            events = live.since(after) if live else None
            if events is None:
                events = await aevents_after(run_id, after, PAGE)
            if events:
                after, quiet_s = events[-1].sequence, 0.0
                yield events
                if events[-1].is_terminal:
                    return
            elif is_over:
                return
            else:
                quiet_s += await _wait(changed)
                if silence_s is not None and quiet_s >= silence_s:
                    quiet_s = 0.0
                    yield []
    finally:
        process.bus.leave(watch)


async def _wait(changed: asyncio.Event) -> float:
    """Wait for a wake-up, at most ``POLL_S``; return the seconds that passed in silence."""
    try:
        async with asyncio.timeout(POLL_S):
            await changed.wait()
    except TimeoutError:
        return POLL_S
    return 0.0
