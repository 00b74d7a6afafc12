"""``pydantic-ai``: a request to a model, without the agent around it."""

import sys

from pydantic_ai.direct import model_request_stream
from pydantic_ai.messages import ModelRequest, PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta
from pydantic_ai.models import Model
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider

from bench.subjects.serving import serve

WIRE = sys.argv[1]
MODELS: dict[str, Model] = {}


def _model(address: str) -> Model:
    if WIRE == "anthropic":
        return AnthropicModel("m", provider=AnthropicProvider(api_key="key", base_url=address))
    kind = OpenAIChatModel if WIRE == "openai_chat" else OpenAIResponsesModel
    return kind("m", provider=OpenAIProvider(api_key="key", base_url=f"{address}/v1"))


async def read(address: str) -> int:
    if address not in MODELS:
        MODELS[address] = _model(address)
    characters = 0
    async with model_request_stream(MODELS[address], [ModelRequest.user_text_prompt("hi")]) as stream:
        async for event in stream:
            if isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
                characters += len(event.delta.content_delta)
            elif isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
                characters += len(event.part.content)
    return characters


if __name__ == "__main__":
    serve(read)
