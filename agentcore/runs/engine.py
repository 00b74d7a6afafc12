"""The inline engine: executes runs as tasks of this process, and ends each exactly once."""

import asyncio
import logging
import traceback
from collections.abc import Callable
from contextvars import Context
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol, TypeAlias
from uuid import UUID

from django.utils import translation

from agentcore.agents.agent import AgentResponse, RunCall
from agentcore.agents.context import RunContext
from agentcore.agents.session import AgentSession
from agentcore.bridge import arecord_of, arun_give_up, arun_recorded
from agentcore.clock import CLOCK, Clock
from agentcore.errors import AgentError, InternalError, RunTimeout, error_of
from agentcore.messages import Message
from agentcore.models import Run
from agentcore.runs.assembly import assemble
from agentcore.runs.dispatcher import Dispatcher, observers
from agentcore.runs.journal import RunJournal
from agentcore.runs.recorder import LiveRun, Recorder
from agentcore.services.endings import TERMINAL_EVENT, ended_observation, ending_of, started_observation, terminal_data
from agentcore.services.leases import LeaseLost
from agentcore.services.plans import Plan
from agentcore.services.runs import RunEnding, run_close
from agentcore.tools import CancelReason

logger = logging.getLogger(__name__)

# How long a process that is asked to end waits for the ends of its runs.
SHUTDOWN_S = 10.0
# How long code of the site may hold on to a run that was stopped; its calls and records are settled well within.
STOP_S = 15.0


class Answering(Protocol):
    """What answers a run: an agent that makes its own call of the run's input."""

    def call(self, text: str, *, session: AgentSession | None = None, run: RunContext | None = None) -> RunCall: ...

    async def answer(self, call: RunCall) -> AgentResponse: ...


Assemble: TypeAlias = Callable[[Plan, RunContext], Answering]


@dataclass(kw_only=True)
class Job:
    """A run on its way through this process."""

    run: Run
    plan: Plan
    live: LiveRun
    context: RunContext
    dispatcher: Dispatcher
    answering: Assemble = assemble
    output: list[Message] = field(default_factory=list)
    cancel_reason: str = ""
    has_begun: bool = False
    is_closing: bool = False
    task: "asyncio.Task[None] | None" = None

    def stop(self, reason: str) -> bool:
        """Cancel the work; False when it is ending already, so that a late stop never undoes an answer."""
        if self.is_closing or self.cancel_reason or self.task is None:
            return False
        self.cancel_reason = reason
        self.context.cancel.cancel(reason)
        # A task that is cancelled before its first step never runs, and nobody would end the run.
        if self.has_begun:
            self.task.cancel()
        return True

    def fail(self) -> None:
        """The journal is broken: end the work, and with it the run from what is stored.

        One that is closing waits for its last commit, which fails by itself.
        """
        if self.task is not None and not self.is_closing:
            self.task.cancel()


class InlineEngine:
    """Runs jobs as tasks. A task outlives the request that started it, and inherits nothing of it."""

    def __init__(self, recorder: Recorder, forget: Callable[[UUID], None], *, clock: Clock = CLOCK) -> None:
        self._recorder, self._forget, self._clock = recorder, forget, clock
        self.jobs: dict[UUID, Job] = {}
        self._is_going_down = False
        self._abandoning: set[asyncio.Task[None]] = set()

    def start(self, run: Run, plan: Plan, live: LiveRun, answering: Assemble = assemble) -> None:
        """Execute ``run`` from now on, with the agent that ``answering`` makes."""
        job = self._job(run, plan, live, answering)
        self.jobs[run.id] = job
        # A fresh context: one inherited from a request would cost each run a thread and a connection.
        job.task = asyncio.get_running_loop().create_task(self._execute(job), context=Context())
        # Also when it is cancelled before its first step, which its own ``finally`` does not see.
        job.task.add_done_callback(lambda _task: self._gone(run.id))
        live.on_failure = job.fail
        if self._is_going_down:
            self._stop(job, CancelReason.SHUTDOWN)

    def stop(self, run_id: UUID, reason: str) -> bool:
        job = self.jobs.get(run_id)
        return job is not None and self._stop(job, reason)

    def _stop(self, job: Job, reason: str) -> bool:
        is_new = job.stop(reason)
        if is_new:
            asyncio.get_running_loop().call_later(STOP_S, self._let_go, job)
        return is_new

    async def drain(self) -> None:
        """Wait until every job has ended."""
        tasks = [job.task for job in self.jobs.values() if job.task is not None]
        await asyncio.gather(*tasks, return_exceptions=True)

    async def shut_down(self) -> None:
        """Stop every job, also one that comes from now on, and wait for their ends at most ``SHUTDOWN_S``.

        What has not ended by then is left to recovery.
        """
        self._is_going_down = True
        for run_id in list(self.jobs):
            self.stop(run_id, CancelReason.SHUTDOWN)
        loop = asyncio.get_running_loop()
        until_s = loop.time() + SHUTDOWN_S
        while self.jobs and (left_s := until_s - loop.time()) > 0:
            await asyncio.wait([job.task for job in self.jobs.values() if job.task is not None], timeout=left_s)
        if self.jobs:
            logger.warning("%d runs did not end in time; recovery ends them.", len(self.jobs))

    def _job(self, run: Run, plan: Plan, live: LiveRun, answering: Assemble) -> Job:
        dispatcher = Dispatcher(run.id, observers())
        context = RunContext(
            run_id=run.id,
            conversation_id=run.conversation_id,
            agent=plan.agent,
            caller=plan.caller,
            limits=plan.limits,
            journal=RunJournal(self._recorder, live, fence=run.fence, clock=self._clock),
            observe=dispatcher.observe,
            redactor=plan.redactor,
            clock=self._clock,
        )
        return Job(run=run, plan=plan, live=live, context=context, dispatcher=dispatcher, answering=answering)

    async def _execute(self, job: Job) -> None:
        translation.activate(job.run.locale)
        try:
            ending = await self._work(job)
            job.is_closing = True
            await self._close(job, ending)
            await self._deliver(job, ending)
        except Exception as error:
            job.is_closing = True
            _log(job, "lost its journal", error)
            await self._give_up(job)
        finally:
            self._gone(job.run.id)

    def _gone(self, run_id: UUID) -> None:
        self.jobs.pop(run_id, None)
        self._forget(run_id)

    def _let_go(self, job: Job) -> None:
        """A layer or a tool swallows the stop of its run: end the run without it."""
        if job.is_closing or self.jobs.get(job.run.id) is not job:
            return
        job.is_closing = True
        # What it still writes is refused.
        job.live.failure = LeaseLost(job.run.id)
        task = asyncio.get_running_loop().create_task(self._abandon(job), context=Context())
        self._abandoning.add(task)
        task.add_done_callback(self._abandoning.discard)

    async def _abandon(self, job: Job) -> None:
        logger.error("Run %s did not stop within %g s: something swallows its cancellation.", job.run.id, STOP_S)
        await self._give_up(job, RunTimeout if job.cancel_reason == CancelReason.DEADLINE else InternalError)
        self._gone(job.run.id)

    async def _give_up(self, job: Job, reason: type[AgentError] = InternalError) -> None:
        """End a run from what is stored, as failed for ``reason``. One that another process took over is left to it."""
        try:
            run = await arun_give_up(job.run.id, fence=job.run.fence, reason=reason)
            if run is not None and await job.dispatcher.end((await arecord_of(run)).observation):
                await arun_recorded(run.id)
        except Exception as error:
            # The run stays open, nobody renews its lease, and recovery ends it.
            _log(job, "could not be given up", error)

    async def _work(self, job: Job) -> RunEnding:
        """Let the agent answer; however that ends, it is an ending."""
        job.has_begun = True
        deadline = asyncio.get_running_loop().call_later(
            job.plan.limits.timeout_s, self._stop, job, CancelReason.DEADLINE
        )
        try:
            if job.cancel_reason:
                raise asyncio.CancelledError
            await job.dispatcher.observe(started_observation(job.run))
            agent = job.answering(job.plan, job.context)
            session = AgentSession(conversation_id=job.run.conversation_id)
            call = agent.call(job.run.input, session=session, run=job.context)
            job.output = call.output
            response = await agent.answer(call)
            if job.cancel_reason:
                # A layer swallowed the stop: it holds all the same.
                raise asyncio.CancelledError
        except asyncio.CancelledError as error:
            return self._cancelled(job, error)
        except BaseException as error:
            # Layers are the site's own code: a SystemExit of theirs ends their run, not the process.
            if job.live.failure is not None or isinstance(error, GeneratorExit):
                raise
            # What a layer made of the stop is no failure.
            return self._cancelled(job, error) if job.cancel_reason else self._failed(job, error)
        finally:
            deadline.cancel()
        return self._ending(job, Run.Status.COMPLETED, finish_reason=response.finish_reason.value)

    def _cancelled(self, job: Job, error: BaseException) -> RunEnding:
        if job.task is not None and (job.live.failure or job.cancel_reason):
            job.task.uncancel()
        if job.live.failure is not None:
            raise job.live.failure
        if not job.cancel_reason:
            if _is_asked_to_end(job):
                # Nobody pressed stop: the process is going down, and recovery ends this run.
                raise error
            # A layer awaited what it had cancelled itself.
            return self._failed(job, error)
        if job.cancel_reason == CancelReason.DEADLINE:
            return self._failed(job, RunTimeout())
        return self._ending(job, Run.Status.CANCELLED, cancel_reason=job.cancel_reason)

    def _failed(self, job: Job, error: BaseException) -> RunEnding:
        known = error_of(error)
        if known is not error:
            _log(job, "failed", error)
        shown = known.as_json() | {"message": job.plan.redactor.redact_text(known.message)}
        return self._ending(job, Run.Status.FAILED, error=shown)

    def _ending(
        self,
        job: Job,
        status: str,
        *,
        finish_reason: str = "",
        cancel_reason: str = "",
        error: dict[str, str] | None = None,
    ) -> RunEnding:
        return ending_of(
            status,
            messages=job.output,
            total=job.context.meter.total(),
            # As on record: also the attempt that a stop kept from being made.
            model_calls=job.dispatcher.attempts,
            finished_at=self._clock.now(),
            last_sequence=job.live.next_sequence + len(job.live.pending),
            answered=job.context.answered or job.dispatcher.asked,
            finish_reason=finish_reason,
            cancel_reason=cancel_reason,
            error=error,
        )

    async def _close(self, job: Job, ending: RunEnding) -> None:
        """Store the last event with the end of the run and of its turn, in one transaction."""
        job.context.journal.emit(TERMINAL_EVENT[Run.Status(ending.status)], terminal_data(ending))
        close = partial(
            run_close,
            run_id=job.run.id,
            conversation_id=job.run.conversation_id,
            fence=job.run.fence,
            ending=ending,
        )
        await self._recorder.commit(job.live, close)

    async def _deliver(self, job: Job, ending: RunEnding) -> None:
        for name, value in vars(ending).items():
            if name != "messages":
                setattr(job.run, name, value)
        observation = ended_observation(job.run, tool_calls=job.context.meter.tool_calls)
        if await job.dispatcher.end(observation):
            await arun_recorded(job.run.id)


def _is_asked_to_end(job: Job) -> bool:
    """Whether somebody from outside cancelled the task."""
    return job.task is not None and job.task.cancelling() > 0


def _log(job: Job, what: str, error: BaseException) -> None:
    """An exception's own text may hold what it failed on."""
    told = job.plan.redactor.redact_text("".join(traceback.format_exception(error)))
    logger.error("Run %s %s: %s", job.run.id, what, told)
