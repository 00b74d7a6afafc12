"""What a token costs before it is stored: decoding it, and its way through the loop."""

import asyncio
import json

from agentcore.agents.agent import ChatAgent
from agentcore.chat import ChatRequest, Route, TextDelta
from agentcore.messages import Message, Role
from agentcore.providers.dialects.openai_chat import OPENAI_CHAT
from agentcore.providers.sse import SseSplitter
from agentcore.testing import ScriptedChatClient
from bench.measure import Ratio, seconds

TOKENS = 2_000
PACKET_BYTES = 1_400
DELTA = {"choices": [{"index": 0, "delta": {"content": "word "}, "finish_reason": None}], "id": "c", "model": "m"}
LAST = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "id": "c", "model": "m"}
CHUNKS = [json.dumps(chunk).encode() for chunk in [DELTA] * TOKENS + [LAST]]
BODY = b"".join(b"data: " + chunk + b"\n\n" for chunk in CHUNKS)
PACKETS = [BODY[start : start + PACKET_BYTES] for start in range(0, len(BODY), PACKET_BYTES)]


def _parse() -> None:
    for chunk in CHUNKS:
        json.loads(chunk)


def _decode() -> None:
    request = ChatRequest(model="m", messages=(Message.of(Role.USER, "hi"),))
    splitter, decoder = SseSplitter(), OPENAI_CHAT.decoder(request)
    for packet in PACKETS:
        for event in splitter.feed(packet):
            decoder.feed(event)


def _answer() -> None:
    client = ScriptedChatClient([[TextDelta("word ")] * TOKENS])
    asyncio.run(ChatAgent(client, name="bench", route=Route("fake", "fake-1")).run("hi"))


def ratios() -> list[Ratio]:
    parsing = seconds(_parse)
    return [
        Ratio("decoding a streamed answer", seconds(_decode) / parsing, "× parsing its JSON alone", 10),
        Ratio("an answer through the loop", seconds(_answer) / parsing, "× parsing its JSON alone", 10),
    ]
