"""One of our dialects: from the bytes to normalised events, through the client that the product uses."""

import os
import sys

from agentcore.chat import ChatCall, ChatRequest, ModelEvent, TextDelta
from agentcore.messages import Message, Role
from agentcore.providers.clients import client_for
from agentcore.providers.spec import ProviderSpec
from bench.subjects.serving import serve

WIRE = sys.argv[1]
REQUEST = ChatRequest(model="m", messages=(Message.of(Role.USER, "hi"),))


async def read(address: str) -> int:
    base_url = address if WIRE == "ollama" else f"{address}/v1"
    spec = ProviderSpec(provider_id="bench", provider_type=WIRE, base_url=base_url, api_key="key")
    characters = 0

    def emit(event: ModelEvent) -> None:
        nonlocal characters
        if isinstance(event, TextDelta):
            characters += len(event.text)

    await client_for(spec, allow_private=True).complete(ChatCall(request=REQUEST, emit=emit))
    return characters


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    serve(read)
