"""Tools for a model that calls none by itself, but whose answers can be bound to a schema."""

from dataclasses import replace
from typing import Any

from agentcore.chat import (
    ChatCall,
    ChatClient,
    ChatRequest,
    ChatResponse,
    Collector,
    Finish,
    FinishReason,
    ModelEvent,
    Route,
    TextDelta,
    ToolChoice,
    ToolSchema,
)
from agentcore.messages import Message, Role, TextContent
from agentcore.providers.bound_answer import BoundAnswer
from agentcore.providers.degrading import in_plain_turns, without_tools
from agentcore.providers.estimate import compact_json
from agentcore.providers.fitting import restored
from agentcore.providers.schema_refs import Schema, inlined

# More in one answer is a model that repeats itself.
MAX_CALLS = 8

# For the model, so in English.
_HOW = """Write one JSON object and nothing else.
To call tools: {"calls": [{"tool": "name", "arguments": {}}]}. Their results come in the next message.
To answer the user in words: {"answer": "..."}.
Call a tool for what it can tell, and never make up what it would say. Once its result is there, answer from it.
The tools, each with the JSON schema of its arguments:"""


class SchemaToolsClient:
    """A chat client whose model calls tools through answers that are bound to a schema."""

    def __init__(self, client: ChatClient) -> None:
        self._client = client

    async def complete(self, call: ChatCall) -> ChatResponse:
        """
        Raises:
            ProviderError: no whole answer came, or one whose calls cannot be understood.
        """
        request = call.request
        if not request.tools:
            return await self._client.complete(replace(call, request=without_tools(request)))
        collected, answer = Collector(call.emit), BoundAnswer()
        emit = _Unbound(answer, collected)
        response = await self._client.complete(replace(call, request=bound(request), emit=emit))
        for event in answer.end(response.finish_reason):
            collected(restored(event, request))
        return replace(
            response,
            contents=collected.contents(Route(response.provider_id, response.model)),
            finish_reason=collected.finish or FinishReason.STOP,
        )


class _Unbound:
    """An ``emit`` that passes on what the answer says to the person; the finish waits for the calls."""

    def __init__(self, answer: BoundAnswer, collected: Collector) -> None:
        self._answer, self._collected = answer, collected

    def __call__(self, event: ModelEvent) -> None:
        if isinstance(event, TextDelta):
            if text := self._answer.feed(event.text):
                self._collected(TextDelta(text))
        elif not isinstance(event, Finish):
            self._collected(event)


def bound(request: ChatRequest) -> ChatRequest:
    """``request`` without tools: they are in the instructions, in the schema of the answer and in the turns so far."""
    tools = sorted(request.tools, key=lambda tool: tool.name)
    options = request.options
    answer = options.response_schema or {"type": "string"}
    schema = _schema_of(tools, answer, options.tool_choice)
    return replace(
        request,
        messages=_instructed(in_plain_turns(request.messages, _told), tools),
        tools=(),
        options=replace(options, tool_choice=ToolChoice.AUTO, response_schema=schema),
    )


def _schema_of(tools: list[ToolSchema], answer: Schema, choice: ToolChoice) -> Schema:
    calls = {
        "type": "array",
        "items": {"anyOf": [_call_of(tool) for tool in tools]},
        "minItems": 1,
        "maxItems": MAX_CALLS,
    }
    match choice:
        case ToolChoice.NONE:
            return _object(answer=answer)
        case ToolChoice.REQUIRED:
            return _object(calls=calls)
        case ToolChoice.AUTO:
            return {"anyOf": [_object(answer=answer), _object(calls=calls)]}


def _call_of(tool: ToolSchema) -> Schema:
    # References would lead nowhere in a schema of which this is a part.
    return _object(tool={"type": "string", "enum": [tool.name]}, arguments=inlined(tool.parameters))


def _object(**properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _instructed(messages: tuple[Message, ...], tools: list[ToolSchema]) -> tuple[Message, ...]:
    """With how to call, behind the last of the instructions: many templates take one system message only."""
    lines = (f"- {tool.name}: {tool.description} {compact_json(tool.parameters)}" for tool in tools)
    how = "\n".join([_HOW, *lines])
    at = next((number for number, message in enumerate(messages) if message.role is not Role.SYSTEM), len(messages))
    if not at:
        return (Message.of(Role.SYSTEM, how, id="schema-tools"), *messages)
    last = messages[at - 1]
    said = replace(last, contents=(*last.contents, TextContent(f"\n\n{how}")))
    return (*messages[: at - 1], said, *messages[at:])


def _told(message: Message) -> str:
    """What the assistant wrote then, as it would have to write it now."""
    said: dict[str, Any] = {"answer": message.text} if message.text else {}
    calls = [{"tool": call.name, "arguments": call.arguments} for call in message.calls]
    return compact_json(said | ({"calls": calls} if calls else {}))
