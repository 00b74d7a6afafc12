"""The SDK ``openai``."""

import sys

from openai import AsyncOpenAI

from bench.subjects.serving import serve

WIRE = sys.argv[1]


async def _chat(client: AsyncOpenAI) -> int:
    stream = await client.chat.completions.create(
        model="m", messages=[{"role": "user", "content": "hi"}], stream=True, stream_options={"include_usage": True}
    )
    return sum([len(chunk.choices[0].delta.content or "") async for chunk in stream if chunk.choices])


async def _responses(client: AsyncOpenAI) -> int:
    stream = await client.responses.create(model="m", input="hi", stream=True)
    return sum([len(event.delta) async for event in stream if event.type == "response.output_text.delta"])


CLIENTS: dict[str, AsyncOpenAI] = {}


async def read(address: str) -> int:
    client = CLIENTS.setdefault(address, AsyncOpenAI(api_key="key", base_url=f"{address}/v1", max_retries=0))
    return await (_chat if WIRE == "openai_chat" else _responses)(client)


if __name__ == "__main__":
    serve(read)
