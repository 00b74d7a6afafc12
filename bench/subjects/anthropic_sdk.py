"""The SDK ``anthropic``: its stream of raw events, the cheapest that it has."""

from anthropic import AsyncAnthropic

from bench.subjects.serving import serve

CLIENTS: dict[str, AsyncAnthropic] = {}


async def read(address: str) -> int:
    client = CLIENTS.setdefault(address, AsyncAnthropic(api_key="key", base_url=address, max_retries=0))
    stream = await client.messages.create(
        model="m", max_tokens=4096, messages=[{"role": "user", "content": "hi"}], stream=True
    )
    return sum([len(event.delta.text) async for event in stream if event.type == "content_block_delta"])


if __name__ == "__main__":
    serve(read)
