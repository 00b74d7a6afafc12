"""``agent-framework-core`` with its client of OpenAI's wires, without the agent around it."""

import sys

from agent_framework import Message
from agent_framework.openai import OpenAIChatClient, OpenAIChatCompletionClient

from bench.subjects.serving import serve

WIRE = sys.argv[1]
CLIENTS: dict[str, OpenAIChatClient | OpenAIChatCompletionClient] = {}


async def read(address: str) -> int:
    if address not in CLIENTS:
        kind = OpenAIChatCompletionClient if WIRE == "openai_chat" else OpenAIChatClient
        CLIENTS[address] = kind(model="m", api_key="key", base_url=f"{address}/v1")
    stream = CLIENTS[address].get_response([Message("user", ["hi"])], stream=True)
    return sum([len(update.text) async for update in stream])


if __name__ == "__main__":
    serve(read)
