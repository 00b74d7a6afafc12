"""The SDK ``litellm``."""

import sys

import litellm

from bench.subjects.serving import serve

WIRE = sys.argv[1]
# How it names a provider, and what follows the address. It streams responses only of models that it knows.
NAMES = {
    "openai_chat": ("openai/m", "/v1"),
    "openai_responses": ("openai/gpt-4o-mini", "/v1"),
    "anthropic": ("anthropic/m", ""),
    "ollama": ("ollama_chat/m", ""),
}
litellm.telemetry = False


async def read(address: str) -> int:
    model, path = NAMES[WIRE]
    options = {"model": model, "api_base": address + path, "api_key": "key", "max_retries": 0, "stream": True}
    if WIRE == "openai_responses":
        events = await litellm.aresponses(input="hi", **options)
        return sum([len(event.delta) async for event in events if event.type == "response.output_text.delta"])
    chunks = await litellm.acompletion(messages=[{"role": "user", "content": "hi"}], **options)
    return sum([len(chunk.choices[0].delta.content or "") async for chunk in chunks if chunk.choices])


if __name__ == "__main__":
    serve(read)
