"""The tool calls of one step: claimed before they run, and each settled with exactly one result."""

import asyncio
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from django.utils.translation import gettext as _

from agentcore.agents.context import RunContext
from agentcore.agents.journal import Outcome, unfinished
from agentcore.agents.stopping import Termination
from agentcore.errors import AgentError, ControlError, ToolFailed, ToolNotFound, ToolTimeout
from agentcore.messages import CallStatus, FunctionCallContent, FunctionResultContent
from agentcore.middleware import Layer, compose
from agentcore.observers import ToolCallFinished, ToolCallStarted
from agentcore.text import clean_json
from agentcore.tools import Effect, Tool, ToolContext, ToolResult


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

    async def settle(self) -> None:
        """Run the calls. However this ends, every call that was shown has its one result stored."""
        gate = asyncio.Semaphore(self.run.limits.max_parallel_tools)
        started: set[str] = set()
        try:
            # A stop may come while they are being stored: they are shown then, and settled below.
            await self.run.journal.calls_proposed(self.step, [(call, self.tools.get(call.name)) for call in self.calls])
            async with asyncio.TaskGroup() as group:
                for call in self.calls:
                    group.create_task(self._settle_one(call, gate, started))
        except BaseExceptionGroup as failures:
            # Only the journal can fail here, and one reason is enough: the run cannot go on without it.
            raise failures.exceptions[0] from None
        finally:
            await self._settle_the_rest(started)

    @property
    def results(self) -> tuple[FunctionResultContent, ...]:
        """The results, in the order of the calls; fewer only when the journal broke."""
        return tuple(self.outcomes[call.call_id].result for call in self.calls if call.call_id in self.outcomes)

    async def _settle_one(self, call: FunctionCallContent, gate: asyncio.Semaphore, started: set[str]) -> None:
        async with gate:
            if self.termination is not None:
                return
            began = self.run.clock.monotonic()
            started.add(call.call_id)
            outcome = await self._outcome(call)
            duration_ms = round((self.run.clock.monotonic() - began) * 1000)
            await self._keep(outcome, duration_ms)

    async def _outcome(self, call: FunctionCallContent) -> Outcome:
        try:
            await self._observe_start(call)
            result = _storable(await self._run_tool(call))
        except Termination as termination:
            self.termination = termination
            result = _storable(termination.result)
        except ControlError as error:
            return unfinished(call, CallStatus.DENIED, error.code, error.message)
        except AgentError as error:
            return _failure(call, error)
        except Exception as error:
            # A tool is the site's own code: whatever it raises becomes a result, and the detail goes to the audit.
            return _failure(call, ToolFailed(), "".join(traceback.format_exception(error)))
        done = FunctionResultContent(call.call_id, call.name, result.for_model, CallStatus.DONE)
        return Outcome(result=done, for_ui=result.for_ui, invalidates=result.invalidates)

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
        tool = self.tools.get(call.name)
        await self.run.observe(
            ToolCallStarted(
                at=self.run.clock.now(),
                step=self.step,
                call_id=call.call_id,
                name=call.name,
                arguments=call.arguments,
                effect=(tool.effect if tool else Effect.READ).value,
                category=tool.category if tool else "",
            )
        )

    async def _keep(self, outcome: Outcome, duration_ms: int) -> None:
        outcome = Outcome(**(vars(outcome) | {"duration_ms": duration_ms}))
        self.outcomes[outcome.result.call_id] = outcome
        self.run.meter.tool_calls += 1
        # Shielded: a result that exists is never lost to a stop that comes while it is being stored.
        await asyncio.shield(self.run.journal.call_settled(self.step, outcome))
        result = outcome.result
        await self.run.observe(
            ToolCallFinished(
                at=self.run.clock.now(),
                step=self.step,
                call_id=result.call_id,
                name=result.name,
                status=result.status,
                result=result.result,
                error=result.error,
                duration_ms=duration_ms,
                detail=outcome.detail,
            )
        )

    async def _settle_the_rest(self, started: set[str]) -> None:
        for call in self.calls:
            if call.call_id not in self.outcomes:
                await asyncio.shield(self._keep(self._interrupted(call, call.call_id in started), 0))

    def _interrupted(self, call: FunctionCallContent, was_started: bool) -> Outcome:
        tool = self.tools.get(call.name)
        if was_started and tool is not None and tool.effect is not Effect.READ:
            text = _("Stopped while it ran: nobody knows whether it took effect.")
            return unfinished(call, CallStatus.UNKNOWN, ToolFailed.code, text)
        text = _("Cancelled: an earlier action ended the turn.") if self.termination else _("Cancelled by the user.")
        return unfinished(call, CallStatus.CANCELLED, ToolFailed.code, text)


def _storable(result: ToolResult) -> ToolResult:
    """The result as JSON that every database holds; a tool that gives anything else has failed."""
    return replace(result, for_model=clean_json(result.for_model), for_ui=clean_json(result.for_ui))


def _failure(call: FunctionCallContent, error: AgentError, detail: str = "") -> Outcome:
    result = FunctionResultContent(call.call_id, call.name, None, CallStatus.FAILED, error.as_json())
    return Outcome(result=result, detail=detail or str(error.details or ""))
