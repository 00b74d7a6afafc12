"""The SDK ``litellm``."""

import sys

import litellm

from bench.subjects.serving import serve

WIRE = sys.argv[1]
# How it names a provider, and what follows the address.
NAMES = {"openai_chat": ("openai/m", "/v1"), "anthropic": ("anthropic/m", ""), "ollama": ("ollama_chat/m", "")}
litellm.telemetry = False


async def read(address: str) -> int:
    model, path = NAMES[WIRE]
    stream = await litellm.acompletion(
        model=model,
        api_base=address + path,
        api_key="key",
        messages=[{"role": "user", "content": "hi"}],
        stream=True,
        max_retries=0,
    )
    return sum([len(chunk.choices[0].delta.content or "") async for chunk in stream if chunk.choices])


if __name__ == "__main__":
    serve(read)
