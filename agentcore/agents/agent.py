"""Agents: what answers, and the one that answers with a model."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from agentcore.agents.context import RunContext, enter_run
from agentcore.agents.context_provider import ContextProvider
from agentcore.agents.history import HistoryProvider
from agentcore.agents.journal import MemoryJournal
from agentcore.agents.loop import Ending, Loop
from agentcore.agents.session import AgentSession
from agentcore.agents.showing import let_stand, shown_message
from agentcore.chat import ChatClient, ChatOptions, Route
from agentcore.events import EventType
from agentcore.messages import Message, Role, Source
from agentcore.middleware import Layer, compose
from agentcore.tools import Tool


@dataclass(frozen=True, kw_only=True)
class AgentResponse:
    """What a run added: its messages, calls paired with their results, and why it ended."""

    messages: tuple[Message, ...]
    finish_reason: Ending = Ending.STOP

    @property
    def text(self) -> str:
        """The answer: the text of the last message that has any."""
        return answer_text(self.messages)


def answer_text(messages: Sequence[Message]) -> str:
    """The text of the last assistant message that has any."""
    said = (message.text for message in reversed(messages) if message.role is Role.ASSISTANT)
    return next((text for text in said if text), "")


@dataclass(frozen=True, slots=True)
class AgentUpdate:
    """One event of a run while it goes on."""

    type: EventType
    data: dict[str, Any]


@dataclass(kw_only=True)
class RunCall:
    """A run on its way through the run layers; a layer may change the messages and the options.

    ``output`` grows while the run goes on: what was said is there also when it fails.
    """

    run: RunContext
    messages: list[Message]
    options: ChatOptions
    session: AgentSession
    output: list[Message] = field(default_factory=list)


class _QueueJournal(MemoryJournal):
    """A journal that also hands every event to a queue."""

    def __init__(self, updates: "asyncio.Queue[AgentUpdate | None]") -> None:
        super().__init__()
        self._updates = updates

    def emit(self, type: EventType, data: dict[str, Any]) -> None:
        super().emit(type, data)
        self._updates.put_nowait(AgentUpdate(type, data))


class Agent(Protocol):
    """Whatever answers a person: with a model, with rules, or from far away."""

    name: str

    async def answer(self, call: RunCall) -> AgentResponse:
        """Answer ``call``, showing what happens through ``call.run.journal``."""


NO_ROUTE = Route("", "")
DEFAULT_OPTIONS = ChatOptions()


class ChatAgent:
    """An agent that answers with a model and acts through tools."""

    def __init__(
        self,
        client: ChatClient,
        *,
        name: str = "assistant",
        route: Route = NO_ROUTE,
        instructions: str = "",
        tools: Sequence[Tool] = (),
        options: ChatOptions = DEFAULT_OPTIONS,
        history: HistoryProvider | None = None,
        context_providers: Sequence[ContextProvider] = (),
        run_middleware: Sequence[Layer] = (),
        chat_middleware: Sequence[Layer] = (),
        function_middleware: Sequence[Layer] = (),
    ) -> None:
        self.name = name
        self._complete = compose(chat_middleware, client.complete)
        self._answer = compose(run_middleware, self._loop)
        self._function_middleware = tuple(function_middleware)
        self._context_providers = tuple(context_providers)
        self._tools = {tool.name: tool for tool in tools}
        self._route, self._instructions, self._options, self._history = route, instructions, options, history

    async def run(
        self, text: str, *, session: AgentSession | None = None, run: RunContext | None = None
    ) -> AgentResponse:
        """Answer ``text``.

        Raises:
            AgentError: no whole answer came; what was shown until then is in the journal.
        """
        call = self.call(text, session=session, run=run)
        return await self.answer(call)

    async def stream(self, text: str, *, session: AgentSession | None = None) -> AsyncGenerator[AgentUpdate, None]:
        """The same run, with its events as they happen. Leaving the iteration cancels it."""
        updates: asyncio.Queue[AgentUpdate | None] = asyncio.Queue()
        run = RunContext(agent=self.name, journal=_QueueJournal(updates))
        task = asyncio.create_task(self.answer(self.call(text, session=session, run=run)))
        task.add_done_callback(lambda _task: updates.put_nowait(None))
        try:
            while (update := await updates.get()) is not None:
                yield update
            task.result()
        finally:
            run.cancel.cancel()
            task.cancel()
            # It settles its calls before the caller goes on, and leaves nothing behind.
            await asyncio.gather(task, return_exceptions=True)

    def call(self, text: str, *, session: AgentSession | None = None, run: RunContext | None = None) -> RunCall:
        """The call that ``answer`` takes, for one text of a person."""
        session = session or AgentSession()
        run = run or RunContext(agent=self.name)
        return RunCall(run=run, messages=[Message.of(Role.USER, text)], options=self._options, session=session)

    async def answer(self, call: RunCall) -> AgentResponse:
        """The answer of the run layers, shown and kept as they gave it.

        Raises:
            AgentError: no whole answer came; ``call.output`` has what was said until then.
        """
        run = call.run
        enter_run(run)
        response: AgentResponse = await self._answer(call)
        answer = [shown_message(message, run.redactor) for message in response.messages]
        let_stand(run.journal, call.output, answer, is_whole=run.is_whole)
        return replace(response, messages=tuple(call.output))

    async def _loop(self, call: RunCall) -> AgentResponse:
        past = await self._past(call)
        provided = await self._provided(call.run, [*past, *call.messages])
        loop = Loop(
            run=call.run,
            complete=self._complete,
            route=self._route,
            # What stays the same stands first: providers of models keep a prefix that they have seen.
            messages=[*self._system(), *past, *provided, *call.messages],
            tools=self._tools,
            options=call.options,
            function_layers=self._function_middleware,
            author_name=self.name,
            output=call.output,
        )
        ending = await loop.to_the_end()
        call.run.is_whole = True
        return AgentResponse(messages=tuple(call.output), finish_reason=ending)

    def _system(self) -> list[Message]:
        return [Message.of(Role.SYSTEM, self._instructions)] if self._instructions else []

    async def _provided(self, run: RunContext, said: Sequence[Message]) -> list[Message]:
        added = [message for provider in self._context_providers for message in await provider.provide(run, said)]
        return [message.stamped(Source.CONTEXT_PROVIDER) for message in added]

    async def _past(self, call: RunCall) -> list[Message]:
        conversation_id = call.session.conversation_id
        if self._history is None or conversation_id is None:
            return []
        return await self._history.load(conversation_id, run_id=call.run.run_id)
