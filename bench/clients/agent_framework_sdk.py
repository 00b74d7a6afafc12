"""``agent-framework-core`` with its client of OpenAI's wires, and the response that it makes of the stream."""

from agent_framework import Message
from agent_framework.openai import OpenAIChatClient, OpenAIChatCompletionClient
from openai import AsyncOpenAI

from bench.clients.serving import Question, serve
from bench.clients.yielded import Yielded, arguments_of


async def ask(question: Question) -> Yielded:
    kind = OpenAIChatCompletionClient if question.api == "openai_chat" else OpenAIChatClient
    openai = AsyncOpenAI(api_key="key", base_url=f"{question.address}/v1", max_retries=0)
    client = kind(model="fx-1", async_client=openai)
    messages = [Message("user", ["hello"])]
    if question.stream:
        stream = client.get_response(messages, stream=True)
        answer = await stream.get_final_response()
    else:
        answer = await client.get_response(messages)
    contents = [content for message in answer.messages for content in message.contents]
    calls = [content for content in contents if content.type == "function_call"]
    found = Yielded(
        text="".join(content.text or "" for content in contents if content.type == "text"),
        reasoning="".join(content.text or "" for content in contents if content.type == "text_reasoning"),
        calls=[(call.call_id, call.name, arguments_of(call.arguments)) for call in calls],
    )
    if usage := answer.usage_details:
        found["usage"] = (usage.get("input_token_count") or 0, usage.get("output_token_count") or 0)
    return found


if __name__ == "__main__":
    serve(ask)
