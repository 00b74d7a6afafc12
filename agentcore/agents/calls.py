"""The tool calls of one step: claimed before they run, and each settled with exactly one result."""

import asyncio
import hashlib
import json
import logging
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from django.utils.translation import gettext as _

from agentcore.agents.context import RunContext
from agentcore.agents.journal import Outcome, ProposedCall, unfinished
from agentcore.agents.showing import shown_outcome
from agentcore.agents.stopping import Termination
from agentcore.errors import AgentError, ControlError, ToolFailed, ToolNotFound, ToolTimeout
from agentcore.finishing import finished
from agentcore.messages import CallStatus, FunctionCallContent, FunctionResultContent
from agentcore.middleware import Layer, compose
from agentcore.observers import ToolCallFinished, ToolCallStarted
from agentcore.redaction import Redactor
from agentcore.text import clean_json
from agentcore.tools import CancelReason, Effect, Tool, ToolContext, ToolResult

logger = logging.getLogger(__name__)


@dataclass(kw_only=True)
class FunctionCall:
    """One tool call on its way through the function layers; a layer may change the arguments."""

    call: FunctionCallContent
    tool: Tool
    arguments: dict[str, object]
    context: ToolContext


async def invoke(call: FunctionCall) -> ToolResult:
    """The innermost handler: the tool itself."""
    return await call.tool.invoke(call.arguments, call.context)


@dataclass(kw_only=True)
class CallBatch:
    """The calls of one step, run at most ``max_parallel_tools`` at a time.

    ``calls`` are as the model wrote them, secrets included: only the tool and its layers get them like that.
    ``outcomes`` holds one result for each call when ``settle`` returns or is cancelled; ``termination`` is set when
    one of them ended the loop.
    """

    run: RunContext
    step: int
    calls: Sequence[FunctionCallContent]
    tools: Mapping[str, Tool]
    layers: Sequence[Layer]
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    termination: Termination | None = None
    proposed: dict[str, ProposedCall] = field(init=False)
    claimed: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.proposed = {
            call.call_id: _proposed(call, self.tools.get(call.name), self.run.redactor) for call in self.calls
        }

    async def settle(self) -> None:
        """Run the calls. However this ends, every call that was shown has its one result stored."""
        gate = asyncio.Semaphore(self.run.limits.max_parallel_tools)
        try:
            # A stop may come while they are being stored: they are shown then, and settled below.
            await self.run.journal.calls_proposed(self.step, list(self.proposed.values()))
            async with asyncio.TaskGroup() as group:
                for call in self.calls:
                    group.create_task(self._settle_one(call, gate))
        except BaseExceptionGroup as failures:
            # Only the journal can fail here, and one reason is enough: the run cannot go on without it.
            raise failures.exceptions[0] from None
        finally:
            # However often it is stopped: each call has its result before this ends.
            await finished(self._settle_the_rest())

    @property
    def results(self) -> tuple[FunctionResultContent, ...]:
        """The results, in the order of the calls; fewer only when the journal broke."""
        return tuple(self.outcomes[call.call_id].result for call in self.calls if call.call_id in self.outcomes)

    async def _settle_one(self, call: FunctionCallContent, gate: asyncio.Semaphore) -> None:
        async with gate:
            if self.termination is not None:
                return
            began = self.run.clock.monotonic()
            outcome = await self._outcome(call)
            duration_ms = round((self.run.clock.monotonic() - began) * 1000)
            # A result that exists is never lost to a stop: its row, its event and its record come together.
            await finished(self._keep(replace(outcome, duration_ms=duration_ms)))

    async def _outcome(self, call: FunctionCallContent) -> Outcome:
        try:
            await self._observe_start(call)
            result = _storable(await self._run_or_terminate(call))
        except ControlError as error:
            return unfinished(call, CallStatus.DENIED, error.code, error.message)
        except ToolTimeout as error:
            return self._timed_out(call, error)
        except AgentError as error:
            return _failure(call, error)
        except BaseException as error:
            if _is_stop(error):
                raise
            # A tool is the site's own code, and so are its layers: whatever they raise becomes a result, also what
            # would end the process. The detail goes to the log and the audit.
            detail = self.run.redactor.redact_text("".join(traceback.format_exception(error)))
            logger.error("The tool %s failed in run %s.\n%s", call.name, self.run.run_id, detail)
            return _failure(call, ToolFailed(), detail)
        done = FunctionResultContent(call.call_id, call.name, result.for_model, CallStatus.DONE)
        return Outcome(result=done, for_ui=result.for_ui, invalidates=result.invalidates)

    async def _run_or_terminate(self, call: FunctionCallContent) -> ToolResult:
        try:
            return await self._run_tool(call)
        except Termination as termination:
            self.termination = termination
            return termination.result

    async def _run_tool(self, call: FunctionCallContent) -> ToolResult:
        run, tool = self.run, self.tools.get(call.name)
        if tool is None:
            raise ToolNotFound(details={"name": call.name})
        context = ToolContext(
            caller=run.caller,
            run_id=run.run_id,
            conversation_id=run.conversation_id,
            call_id=call.call_id,
            cancel=run.cancel,
        )
        await run.journal.call_claimed(call.call_id)
        self.claimed.add(call.call_id)
        function_call = FunctionCall(call=call, tool=tool, arguments=dict(call.arguments), context=context)
        timeout_s = tool.timeout_s or run.limits.tool_timeout_s
        try:
            async with asyncio.timeout(timeout_s) as deadline:
                result: ToolResult = await compose(self.layers, invoke)(function_call)
                return result
        except TimeoutError as error:
            if not deadline.expired():
                raise
            raise ToolTimeout(_("The tool took longer than %(seconds)g seconds.") % {"seconds": timeout_s}) from error

    async def _observe_start(self, call: FunctionCallContent) -> None:
        proposed = self.proposed[call.call_id]
        tool = proposed.tool
        await self.run.observe(
            ToolCallStarted(
                at=self.run.clock.now(),
                step=self.step,
                call_id=call.call_id,
                name=call.name,
                arguments=proposed.call.arguments,
                effect=(tool.effect if tool else Effect.READ).value,
                category=tool.category if tool else "",
            )
        )

    async def _keep(self, outcome: Outcome) -> None:
        outcome = shown_outcome(outcome, self.run.redactor)
        result = outcome.result
        self.outcomes[result.call_id] = outcome
        self.run.meter.tool_calls += 1
        await self.run.journal.call_settled(self.step, outcome)
        await self.run.observe(
            ToolCallFinished(
                at=self.run.clock.now(),
                step=self.step,
                call_id=result.call_id,
                name=result.name,
                status=result.status,
                result=result.result,
                error=result.error,
                duration_ms=outcome.duration_ms,
                detail=outcome.detail,
            )
        )

    async def _settle_the_rest(self) -> None:
        for call in self.calls:
            if call.call_id not in self.outcomes:
                await self._keep(self._interrupted(call))

    def _timed_out(self, call: FunctionCallContent, error: ToolTimeout) -> Outcome:
        """A thread cannot be stopped: what has an effect may have it yet."""
        if not self._may_take_effect(call):
            return _failure(call, error)
        text = _("%(error)s Nobody knows whether it took effect.") % {"error": error.message}
        return unfinished(call, CallStatus.UNKNOWN, error.code, text)

    def _may_take_effect(self, call: FunctionCallContent) -> bool:
        tool = self.tools.get(call.name)
        return call.call_id in self.claimed and tool is not None and tool.effect is not Effect.READ

    def _interrupted(self, call: FunctionCallContent) -> Outcome:
        if self._may_take_effect(call):
            text = _("Stopped while it ran: nobody knows whether it took effect.")
            return unfinished(call, CallStatus.UNKNOWN, ToolFailed.code, text)
        text = _("Cancelled: an earlier action ended the turn.") if self.termination else _why(self.run.cancel.reason)
        return unfinished(call, CallStatus.CANCELLED, ToolFailed.code, text)


def argument_hash(arguments: Mapping[str, object]) -> str:
    """SHA-256 of the arguments in a canonical spelling: the same call has the same hash."""
    canonical = json.dumps(arguments, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str)
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()


def _proposed(call: FunctionCallContent, tool: Tool | None, redactor: Redactor) -> ProposedCall:
    shown = replace(call, arguments=redactor.redact(call.arguments))
    # Of the arguments that are shown: a summary cuts them to a line, and half a secret has no shape.
    summary = redactor.redact_text(tool.summary(shown.arguments)) if tool else ""
    return ProposedCall(call=shown, tool=tool, argument_hash=argument_hash(call.arguments), summary=summary)


def _why(reason: str) -> str:
    """Why the run was stopped, as the result of a call says it."""
    match reason:
        case CancelReason.USER:
            return _("Cancelled by the user.")
        case CancelReason.SUPERSEDED:
            return _("Cancelled: a newer message took the place of this one.")
        case CancelReason.DEADLINE:
            return _("Cancelled: the answer took too long.")
        case _:
            return _("Cancelled: the server was shut down.")


def _is_stop(error: BaseException) -> bool:
    """Whether this task is asked to end; code that awaits what it had cancelled itself only looks like it."""
    task = asyncio.current_task()
    return isinstance(error, GeneratorExit) or (
        isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling() > 0
    )


def _storable(result: ToolResult) -> ToolResult:
    """The result as JSON that every database holds; a tool that gives anything else has failed."""
    return replace(result, for_model=clean_json(result.for_model), for_ui=clean_json(result.for_ui))


def _failure(call: FunctionCallContent, error: AgentError, detail: str = "") -> Outcome:
    result = FunctionResultContent(call.call_id, call.name, None, CallStatus.FAILED, error.as_json())
    return Outcome(result=result, detail=detail or str(error.details or ""))
