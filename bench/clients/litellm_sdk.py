"""The SDK ``litellm``, with its own way to put the chunks of a stream together."""

from typing import Any

import litellm

from bench.clients.serving import Question, serve
from bench.clients.yielded import Yielded, arguments_of

# It streams responses only of models that it knows.
MODELS = {
    "openai_chat": ("openai/fx-1", "/v1"),
    "openai_responses": ("openai/gpt-4o-mini", "/v1"),
    "anthropic": ("anthropic/fx-1", ""),
    "ollama": ("ollama_chat/fx-1", ""),
}
litellm.telemetry = False


async def _chat(options: dict[str, Any], stream: bool) -> Yielded:
    messages = [{"role": "user", "content": "hello"}]
    if not stream:
        return _of_response(await litellm.acompletion(messages=messages, **options))
    options |= {"stream": True, "stream_options": {"include_usage": True}}
    chunks = [chunk async for chunk in await litellm.acompletion(messages=messages, **options)]
    return _of_response(litellm.stream_chunk_builder(chunks, messages=messages))


def _of_response(answer: Any) -> Yielded:
    if answer is None or not answer.choices:
        return Yielded(text="", calls=[])
    message = answer.choices[0].message
    calls = [(call.id, call.function.name, arguments_of(call.function.arguments)) for call in message.tool_calls or []]
    found = Yielded(text=message.content or "", calls=calls)
    found["reasoning"] = getattr(message, "reasoning_content", None) or ""
    if usage := getattr(answer, "usage", None):
        found["usage"] = (usage.prompt_tokens, usage.completion_tokens)
    return found


async def _responses(options: dict[str, Any]) -> Yielded:
    text, found = "", Yielded()
    async for event in await litellm.aresponses(input="hello", stream=True, **options):
        if event.type == "response.output_text.delta":
            text += event.delta
        elif event.type in {"response.completed", "response.incomplete"} and event.response.usage:
            found["usage"] = (event.response.usage.input_tokens, event.response.usage.output_tokens)
    return Yielded(text=text, **found)


async def ask(question: Question) -> Yielded:
    model, path = MODELS[question.api]
    options = {"model": model, "api_base": question.address + path, "api_key": "key", "max_retries": 0}
    if question.api == "openai_responses":
        return await _responses(options)
    return await _chat(options, question.stream)


if __name__ == "__main__":
    serve(ask)
