"""The SDK ``openai``, with its own way to put the chunks of a stream together."""

from collections.abc import Iterable
from typing import Any

from openai import AsyncOpenAI
from openai.lib.streaming.chat import ChatCompletionStreamState
from openai.types.chat import ChatCompletion

from bench.clients.serving import Question, serve
from bench.clients.yielded import Yielded, arguments_of

MESSAGES: Any = [{"role": "user", "content": "hello"}]


async def _chat(client: AsyncOpenAI, stream: bool) -> Yielded:
    if not stream:
        answer = await client.chat.completions.create(model="fx-1", messages=MESSAGES)
        return _of_completion(answer, _reasoning([answer.choices[0].message]))
    state, deltas = ChatCompletionStreamState(), []
    options: Any = {"stream": True, "stream_options": {"include_usage": True}}
    async for chunk in await client.chat.completions.create(model="fx-1", messages=MESSAGES, **options):
        state.handle_chunk(chunk)
        deltas += [choice.delta for choice in chunk.choices]
    return _of_completion(state.current_completion_snapshot, _reasoning(deltas))


def _reasoning(parts: Iterable[Any]) -> str:
    """It has no field for it, but keeps what it does not know."""
    return "".join(getattr(part, "reasoning_content", None) or getattr(part, "reasoning", None) or "" for part in parts)


def _of_completion(answer: ChatCompletion, reasoning: str) -> Yielded:
    message = answer.choices[0].message
    calls = [(call.id, call.function.name, arguments_of(call.function.arguments)) for call in message.tool_calls or []]
    found = Yielded(text=message.content or "", reasoning=reasoning, calls=calls)
    if answer.usage:
        found["usage"] = (answer.usage.prompt_tokens, answer.usage.completion_tokens)
    return found


async def _responses(client: AsyncOpenAI) -> Yielded:
    text, found = "", Yielded()
    async for event in await client.responses.create(model="fx-1", input="hello", stream=True):
        if event.type == "response.output_text.delta":
            text += event.delta
        elif event.type in {"response.completed", "response.incomplete"} and event.response.usage:
            found["usage"] = (event.response.usage.input_tokens, event.response.usage.output_tokens)
        elif event.type in {"error", "response.failed"}:
            return Yielded(error=event.type)
    return Yielded(text=text, **found)


async def ask(question: Question) -> Yielded:
    client = AsyncOpenAI(api_key="key", base_url=f"{question.address}/v1", max_retries=0)
    async with client:
        return await (_chat(client, question.stream) if question.api == "openai_chat" else _responses(client))


if __name__ == "__main__":
    serve(ask)
