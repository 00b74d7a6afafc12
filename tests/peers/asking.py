"""One call through our client, and all that came of it."""

from dataclasses import dataclass, field
from typing import Any

from agentcore.chat import ChatCall, ChatOptions, ChatRequest, ChatResponse, ModelEvent, TextDelta, ToolCall, ToolSchema
from agentcore.errors import ProviderError
from agentcore.messages import Content, FunctionCallContent, FunctionResultContent, Message, Role, TextContent
from agentcore.providers.clients import client_for
from agentcore.providers.spec import ProviderSpec, Timeouts

# A small model on a busy machine reads slowly.
PATIENT = Timeouts(first_token_s=240, idle_s=240)
WEATHER = ToolSchema(
    name="get_weather",
    description="Get the current weather for a city",
    parameters={"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
)


@dataclass(frozen=True)
class Server:
    """A server by its address without a path. ``model`` is what it is asked for."""

    address: str
    model: str

    def spec(self, dialect: str, **fields: Any) -> ProviderSpec:
        base_url = self.address if dialect == "ollama" else f"{self.address}/v1"
        return ProviderSpec(
            **{"provider_id": "peer", "provider_type": dialect, "base_url": base_url, "api_key": "sk-right"} | fields
        )


@dataclass
class Outcome:
    """Events and an answer, or events and a typed error; any other exception is a failure of the test."""

    events: list[ModelEvent] = field(default_factory=list)
    answer: ChatResponse | None = None
    error: ProviderError | None = None

    @property
    def deltas(self) -> list[str]:
        return [event.text for event in self.events if isinstance(event, TextDelta)]

    @property
    def calls(self) -> list[tuple[str, dict[str, Any]]]:
        return [(event.name, event.arguments) for event in self.events if isinstance(event, ToolCall)]

    @property
    def whole(self) -> ChatResponse:
        """The answer; it says the same as the events did."""
        assert self.error is None, (self.error, self.error.code)
        assert self.answer is not None
        assert self.answer.text == "".join(self.deltas)
        assert [(call.name, call.arguments) for call in self.answer.calls] == self.calls
        return self.answer

    @property
    def code(self) -> str | None:
        return self.error.code if self.error else None


async def asked(
    server: Server,
    dialect: str,
    *said: str | Content | Message,
    tools: tuple[ToolSchema, ...] = (),
    options: ChatOptions | None = None,
    model: str = "",
    stream: bool = True,
    **fields: Any,
) -> Outcome:
    """Ask ``server``. What is said is a user's message, unless it is a message already."""
    request = ChatRequest(
        model=model or server.model,
        messages=tuple(_messages(said)),
        tools=tools,
        options=options or ChatOptions(max_output_tokens=64),
    )
    if not stream:
        fields["options"] = {"body": {"stream": False, "stream_options": None}}
    client = client_for(server.spec(dialect, **fields), timeouts=PATIENT, allow_private=True)
    outcome = Outcome()
    try:
        outcome.answer = await client.complete(ChatCall(request=request, emit=outcome.events.append))
    except ProviderError as error:
        outcome.error = error
    return outcome


def _messages(said: tuple[str | Content | Message, ...]) -> list[Message]:
    if all(isinstance(item, Message) for item in said):
        return [item for item in said if isinstance(item, Message)]
    contents = [TextContent(item) if isinstance(item, str) else item for item in said]
    return [Message(role=Role.USER, contents=tuple(item for item in contents if not isinstance(item, Message)))]


def with_result(question: str, answer: ChatResponse, result: Any) -> list[Message]:
    """The history after a call of ``answer`` was carried out."""
    call = answer.calls[0]
    assert isinstance(call, FunctionCallContent)
    return [
        Message.of(Role.USER, question),
        Message(role=Role.ASSISTANT, contents=answer.contents),
        Message(role=Role.TOOL, contents=(FunctionResultContent(call.call_id, call.name, result),)),
    ]
