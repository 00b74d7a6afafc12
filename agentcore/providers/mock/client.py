"""The mock provider: offline and deterministic, it does what the user's message scripts."""

import asyncio
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from agentcore.chat import (
    ChatCall,
    ChatResponse,
    Collector,
    Finish,
    FinishReason,
    ModelEvent,
    ReasoningDelta,
    Route,
    TextDelta,
    ToolCall,
    UsageUpdate,
)
from agentcore.clock import CLOCK, Clock
from agentcore.errors import error_from
from agentcore.messages import CallStatus, FunctionResultContent, Message, Role, Source, Usage
from agentcore.providers.estimate import compact_json, content_text, estimated_usage
from agentcore.providers.mock.script import CallTool, Directive, Fail, Say, Script, Stream, Think, parse

_WORDS = re.compile(r"\S+\s*|\s+")


class MockChatClient:
    """A chat client that needs no network.

    It answers the newest user message whose source is External; the step it is in is the number of tool rounds since
    then. Like some real servers it calls tools even when ``tool_choice`` is none.
    """

    def __init__(self, provider_id: str = "mock", *, clock: Clock = CLOCK) -> None:
        self._provider_id, self._clock = provider_id, clock

    async def complete(self, call: ChatCall) -> ChatResponse:
        turn = _Turn.of(call.request.messages)
        collected = Collector(call.emit)
        await _Performance(call, turn, collected, self._clock).play()
        _report_usage(call, turn.script, collected)
        reason = FinishReason.TOOL_CALLS if collected.calls else FinishReason.STOP
        collected(Finish(reason))
        route = Route(self._provider_id, call.request.model)
        return ChatResponse(
            contents=collected.contents(route),
            finish_reason=reason,
            usage=collected.usage or estimated_usage(call.request, collected),
            provider_id=route.provider_id,
            model=route.model,
        )


@dataclass(frozen=True)
class _Turn:
    """The script, the step it is in, counted from 0, and the results of the last round."""

    script: Script
    step: int
    seed: str
    results: list[FunctionResultContent]

    @classmethod
    def of(cls, messages: tuple[Message, ...]) -> "_Turn":
        asked = [number for number, message in enumerate(messages) if _is_asked(message)]
        if not asked:
            return cls(Script(), 0, "", [])
        user, since = messages[asked[-1]], messages[asked[-1] + 1 :]
        rounds = [number for number, message in enumerate(since) if message.calls]
        last = since[rounds[-1] :] if rounds else ()
        results = [result for message in last for result in message.results]
        return cls(parse(user.text), len(rounds), user.id, results)

    def directives(self) -> list[Directive]:
        """What this step does; after a round of tools that the script does not follow up, it tells the results."""
        scripted = self.script.step(self.step)
        if scripted or self.step == 0:
            return scripted
        return [Say("\n".join(_told(result) for result in self.results))]


def _is_asked(message: Message) -> bool:
    return message.role == Role.USER and message.source == Source.EXTERNAL


def _told(result: FunctionResultContent) -> str:
    if result.status == CallStatus.DONE:
        return f"{result.name} returned: {compact_json(result.result)}"
    error = result.error or {"code": result.status.value.upper(), "message": result.status.value}
    return f"{result.name} failed: {error.get('code')}: {error.get('message')}"


@dataclass
class _Performance:
    """One call being answered; ``deltas`` counts what it has said and thought."""

    call: ChatCall
    turn: _Turn
    collected: Collector
    clock: Clock
    deltas: int = 0
    armed: list[Fail] = field(default_factory=list)

    async def play(self) -> None:
        directives = self.turn.directives()
        self.armed = [item for item in directives if isinstance(item, Fail) and self._applies(item)]
        await self._fail_where_due()
        for directive in directives:
            await self._do(directive)
        await self._fill_up_to_failure()
        self._call_tools([item for item in directives if isinstance(item, CallTool)])

    async def _do(self, directive: Directive) -> None:
        match directive:
            case Think():
                for word in _WORDS.findall(directive.text):
                    await self._emit(ReasoningDelta(word))
            case Stream():
                await self._stream(directive)
            case Say():
                for word in _WORDS.findall(self._quoted(directive.text)):
                    await self._emit(TextDelta(word))

    async def _stream(self, directive: Stream) -> None:
        for number in range(1, directive.count + 1):
            if number > 1 and directive.pause_s:
                await self.clock.sleep(directive.pause_s)
            await self._emit(TextDelta(f"w{number} "))

    def _quoted(self, text: str) -> str:
        return f"You said: {text}" if self.turn.script.step(self.turn.step) else text

    def _applies(self, fail: Fail) -> bool:
        return not fail.once or self.call.attempt == 1

    async def _emit(self, event: ModelEvent) -> None:
        self.collected(event)
        self.deltas += 1
        await self._fail_where_due()

    async def _fail_where_due(self) -> None:
        # A real await for each delta, so that other tasks run and a cancellation arrives.
        await asyncio.sleep(0)
        for fail in self.armed:
            if self.deltas >= fail.after:
                raise error_from(fail.code)

    async def _fill_up_to_failure(self) -> None:
        while self.armed:
            await self._emit(TextDelta(f"w{self.deltas + 1} "))

    def _call_tools(self, calls: list[CallTool]) -> None:
        for number, call in enumerate(calls, 1):
            self.collected(ToolCall(self._call_id(number), call.name, call.arguments))

    def _call_id(self, number: int) -> str:
        """The same for the same conversation, another in each turn."""
        seed = hashlib.sha256(self.turn.seed.encode()).hexdigest()[:8]
        return f"call_{seed}_{self.turn.step + 1}_{number}"


def _report_usage(call: ChatCall, script: Script, collected: Collector) -> None:
    if script.reports_usage:
        collected(UsageUpdate(script.usage or _words_used(call, collected)))


def _words_used(call: ChatCall, collected: Collector) -> Usage:
    """One token for each word that is separated by white space."""
    thought = _words(item.text for item in collected.said if isinstance(item, ReasoningDelta))
    said = _words(item.text for item in collected.said if isinstance(item, TextDelta))
    said += _words(f"{call.name} {compact_json(call.arguments)}" for call in collected.calls)
    asked = (content_text(content) for message in call.request.messages for content in message.contents)
    return Usage(input_tokens=_words(asked), output_tokens=thought + said, reasoning_tokens=thought)


def _words(texts: Iterator[str]) -> int:
    return sum(len(text.split()) for text in texts)
