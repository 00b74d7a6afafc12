"""Our client."""

import os

import django

from agentcore.chat import ChatCall, ChatRequest, ModelEvent, ReasoningDelta, TextDelta, ToolCall
from agentcore.messages import Message, Role
from agentcore.providers.clients import client_for
from agentcore.providers.spec import ProviderSpec
from bench.clients.serving import Question, serve
from bench.clients.yielded import Yielded

REQUEST = ChatRequest(model="fx-1", messages=(Message.of(Role.USER, "hello"),))


async def ask(question: Question) -> Yielded:
    base_url = question.address if question.api == "ollama" else f"{question.address}/v1"
    spec = ProviderSpec(provider_id="fx", provider_type=question.api, base_url=base_url, api_key="key")
    events: list[ModelEvent] = []
    answer = await client_for(spec, allow_private=True).complete(ChatCall(request=REQUEST, emit=events.append))
    return Yielded(
        text="".join(event.text for event in events if isinstance(event, TextDelta)),
        reasoning="".join(event.text for event in events if isinstance(event, ReasoningDelta)),
        calls=[(event.call_id, event.name, event.arguments) for event in events if isinstance(event, ToolCall)],
        usage=(answer.usage.input_tokens, answer.usage.output_tokens),
    )


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    # The words of an error are translated.
    django.setup()
    serve(ask)
