"""The SDK ``anthropic``, with its own way to put a message together."""

from anthropic import AsyncAnthropic

from bench.clients.serving import Question, serve
from bench.clients.yielded import Yielded


async def ask(question: Question) -> Yielded:
    client = AsyncAnthropic(api_key="key", base_url=question.address, max_retries=0)
    messages = [{"role": "user", "content": "hello"}]
    async with client, client.messages.stream(model="fx-1", max_tokens=100, messages=messages) as stream:
        answer = await stream.get_final_message()
    return Yielded(
        text="".join(block.text for block in answer.content if block.type == "text"),
        calls=[(block.id, block.name, block.input) for block in answer.content if block.type == "tool_use"],
        usage=(answer.usage.input_tokens, answer.usage.output_tokens),
    )


if __name__ == "__main__":
    serve(ask)
