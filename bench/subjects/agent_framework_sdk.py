"""``agent-framework-core`` with its client of OpenAI's chat, without the agent around it."""

from agent_framework import Message
from agent_framework.openai import OpenAIChatCompletionClient

from bench.subjects.serving import serve

CLIENTS: dict[str, OpenAIChatCompletionClient] = {}


async def read(address: str) -> int:
    if address not in CLIENTS:
        CLIENTS[address] = OpenAIChatCompletionClient(model="m", api_key="key", base_url=f"{address}/v1")
    stream = CLIENTS[address].get_response([Message("user", ["hi"])], stream=True)
    return sum([len(update.text) async for update in stream])


if __name__ == "__main__":
    serve(read)
