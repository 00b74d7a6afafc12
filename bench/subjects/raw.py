"""The least that a program can do: httpx, its lines, and the JSON of each; the text is taken out and counted."""

import json
import sys
from collections.abc import Callable
from typing import Any

import httpx

from bench.subjects.serving import serve

WIRE = sys.argv[1]
PATHS = {
    "openai_chat": "/v1/chat/completions",
    "openai_responses": "/v1/responses",
    "anthropic": "/v1/messages",
    "ollama": "/api/chat",
}
PREFIX = "" if WIRE == "ollama" else "data: "


def _of_choice(payload: dict[str, Any]) -> str:
    return payload["choices"][0]["delta"].get("content", "") if payload["choices"] else ""


def _of_event(payload: dict[str, Any]) -> str:
    return payload["delta"] if payload["type"] == "response.output_text.delta" else ""


def _of_block(payload: dict[str, Any]) -> str:
    return payload["delta"]["text"] if payload["type"] == "content_block_delta" else ""


TEXTS: dict[str, Callable[[dict[str, Any]], str]] = {
    "openai_chat": _of_choice,
    "openai_responses": _of_event,
    "anthropic": _of_block,
    "ollama": lambda payload: payload["message"]["content"],
}
CLIENT = httpx.AsyncClient(timeout=None, trust_env=False)


async def read(address: str) -> int:
    text_of, size = TEXTS[WIRE], len(PREFIX)
    characters = 0
    async with CLIENT.stream("POST", address + PATHS[WIRE], json={"stream": True}) as response:
        async for line in response.aiter_lines():
            if line.startswith(PREFIX) and line[size : size + 1] == "{":
                characters += len(text_of(json.loads(line[size:])))
    return characters


if __name__ == "__main__":
    serve(read)
