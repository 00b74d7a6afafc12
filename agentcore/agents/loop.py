"""The one loop: call the model, settle the calls it makes, and again, until it answers or a limit ends it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from django.utils.translation import gettext as _

from agentcore.agents.calls import CallBatch
from agentcore.agents.context import RunContext
from agentcore.agents.pairing import paired
from agentcore.agents.saying import Saying
from agentcore.agents.showing import announce, show_whole, shown_message
from agentcore.chat import (
    ChatCall,
    ChatOptions,
    ChatRequest,
    ChatResponse,
    FinishReason,
    Route,
    ToolChoice,
)
from agentcore.errors import ContentFiltered, OutputTruncated, RunTokenBudgetExceeded
from agentcore.events import EventType
from agentcore.ids import uuid7
from agentcore.messages import Content, FunctionCallContent, Message, Role, TextContent
from agentcore.middleware import Handler, Layer
from agentcore.tools import Tool

MAX_CALL_ID = 200


class Ending(StrEnum):
    """``finish_reason`` of a completed run."""

    STOP = "stop"
    LENGTH = "length"
    TOOL_LIMIT = "tool_limit"
    STEP_LIMIT = "step_limit"
    TERMINATED = "terminated"
    GUARDRAIL = "guardrail"


@dataclass(kw_only=True)
class Loop:
    """One run of the loop. ``output`` grows as it goes, so that what was said is there however it ends."""

    run: RunContext
    complete: Handler[ChatCall, ChatResponse]
    route: Route
    messages: Sequence[Message]
    tools: Mapping[str, Tool]
    options: ChatOptions
    function_layers: Sequence[Layer] = ()
    author_name: str | None = None
    output: list[Message] = field(default_factory=list)
    step: int = 0
    rounds: int = 0
    call_ids: set[str] = field(default_factory=set)

    @property
    def _rounds_left(self) -> bool:
        return self.rounds < self.run.limits.max_tool_loops

    async def to_the_end(self) -> Ending:
        """Run until the model answers or a limit ends it; a limit ends with an explanation, never with silence."""
        limit: Ending | None = None
        while True:
            self.step += 1
            last = limit is not None or self.step >= self.run.limits.max_steps
            response = await self._model_step(may_call=not last, is_limited=limit is not None)
            if not response.calls:
                return limit or _ending(response)
            if last:
                return limit or Ending.STEP_LIMIT
            if not self._rounds_left:
                limit = Ending.TOOL_LIMIT
                continue
            self.rounds += 1
            if await self._settle(response.calls):
                return Ending.TERMINATED

    async def _model_step(self, *, may_call: bool, is_limited: bool) -> ChatResponse:
        self._check_token_budget()
        # The route that answered the last step is asked first.
        route = self.run.answered or self.route
        self.run.journal.emit(
            EventType.STEP_STARTED, {"step": self.step, "provider_id": route.provider_id, "model": route.model}
        )
        first_charge = self.run.meter.model_calls
        saying = Saying(self.run.journal)
        call = ChatCall(request=self._request(may_call), emit=saying.show, step=self.step)
        try:
            response = self._accepted(await self.complete(call))
        except BaseException:
            # Also when cancelled: what was shown stands, as a message of its own.
            if saying.shown:
                self.output.append(self._said(saying.message_id, [TextContent("".join(saying.shown))]))
                show_whole(self.run.journal, self.output[-1])
            raise
        else:
            self._keep(saying, response, may_call=may_call)
            # The model was told that it may not, and calls all the same: the calls are ignored, never shown.
            if not response.text and (is_limited or (response.calls and not may_call)):
                self._explain()
        finally:
            total = self.run.meter.total(since=first_charge)
            self.run.journal.emit(EventType.USAGE_REPORTED, {"step": self.step} | total.as_json())
        return response

    def _request(self, may_call: bool) -> ChatRequest:
        choice = self.options.tool_choice if may_call else ToolChoice.NONE
        return ChatRequest(
            model=self.route.model,
            messages=tuple(paired([*self.messages, *self.output])),
            tools=tuple(self.tools[name].schema() for name in sorted(self.tools)),
            options=replace(self.options, tool_choice=choice),
        )

    def _accepted(self, response: ChatResponse) -> ChatResponse:
        """The answer, if it is one, with call ids that are new in this run.

        Raises:
            ContentFiltered: the provider withheld it.
            OutputTruncated: a call in it was cut off.
        """
        self.run.answered = Route(response.provider_id, response.model)
        if response.finish_reason is FinishReason.CONTENT_FILTER:
            raise ContentFiltered()
        if response.has_cut_off_calls:
            raise OutputTruncated()
        return replace(response, contents=tuple(self._with_new_id(content) for content in response.contents))

    def _with_new_id(self, content: Content) -> Content:
        """Some servers count their calls from zero in every answer; in a run an id names one call."""
        if not isinstance(content, FunctionCallContent):
            return content
        if content.name not in self.tools:
            content = replace(content, name=self.run.redactor.redact_text(content.name))
        if content.call_id in self.call_ids or len(content.call_id) > MAX_CALL_ID:
            content = replace(content, call_id=f"call_{uuid7().hex}")
        self.call_ids.add(content.call_id)
        return content

    def _keep(self, saying: Saying, response: ChatResponse, *, may_call: bool) -> None:
        """Put the answer into the output, without calls that will not be carried out.

        A chat layer may have changed what was shown, or emptied it: the whole text says what stands.
        """
        kept = response.contents if may_call and self._rounds_left else _without_calls(response)
        message = self._said(saying.message_id, kept)
        if message.text or saying.shown:
            show_whole(self.run.journal, message)
        if kept:
            self.output.append(message)

    def _said(self, message_id: str, contents: Sequence[Content]) -> Message:
        said = Message(id=message_id, role=Role.ASSISTANT, contents=tuple(contents), author_name=self.author_name)
        return shown_message(said, self.run.redactor)

    async def _settle(self, calls: Sequence[FunctionCallContent]) -> bool:
        """Run the calls and put their results into the output; True when one of them ended the loop."""
        run = self.run
        batch = CallBatch(run=run, step=self.step, calls=calls, tools=self.tools, layers=self.function_layers)
        try:
            await batch.settle()
        finally:
            self.output.append(Message(role=Role.TOOL, contents=batch.results))
        if batch.termination is not None and batch.termination.reply:
            self._announce(batch.termination.reply)
        await run.journal.step_settled(self.step, self.output)
        return batch.termination is not None

    def _announce(self, text: str) -> None:
        self.output.append(self._said(str(uuid7()), [TextContent(text)]))
        announce(self.run.journal, self.output[-1])

    def _explain(self) -> None:
        self._announce(
            _("I reached the limit of actions for one answer before I was done. Ask me to go on, and I will.")
        )

    def _check_token_budget(self) -> None:
        budget = self.run.limits.token_budget
        usage = self.run.meter.total().usage
        if budget is not None and usage.input_tokens + usage.output_tokens >= budget:
            raise RunTokenBudgetExceeded()


def _without_calls(response: ChatResponse) -> tuple[Content, ...]:
    return tuple(content for content in response.contents if not isinstance(content, FunctionCallContent))


def _ending(response: ChatResponse) -> Ending:
    return Ending.LENGTH if response.finish_reason is FinishReason.LENGTH else Ending.STOP
