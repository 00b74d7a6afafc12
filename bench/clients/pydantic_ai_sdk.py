"""``pydantic-ai``: a request to a model, and the response that it makes of the stream."""

from anthropic import AsyncAnthropic
from openai import AsyncOpenAI
from pydantic_ai.direct import model_request, model_request_stream
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, ThinkingPart, ToolCallPart
from pydantic_ai.models import Model
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider

from bench.clients.serving import Question, serve
from bench.clients.yielded import Yielded, arguments_of


def _model(question: Question) -> Model:
    if question.api == "anthropic":
        client = AsyncAnthropic(api_key="key", base_url=question.address, max_retries=0)
        return AnthropicModel("fx-1", provider=AnthropicProvider(anthropic_client=client))
    kind = OpenAIChatModel if question.api == "openai_chat" else OpenAIResponsesModel
    openai = AsyncOpenAI(api_key="key", base_url=f"{question.address}/v1", max_retries=0)
    return kind("fx-1", provider=OpenAIProvider(openai_client=openai))


async def _response(question: Question) -> ModelResponse:
    messages = [ModelRequest.user_text_prompt("hello")]
    if not question.stream:
        return await model_request(_model(question), messages)
    async with model_request_stream(_model(question), messages) as stream:
        async for _event in stream:
            pass
        return stream.get()


async def ask(question: Question) -> Yielded:
    answer = await _response(question)
    calls = [part for part in answer.parts if isinstance(part, ToolCallPart)]
    return Yielded(
        text="".join(part.content for part in answer.parts if isinstance(part, TextPart)),
        reasoning="".join(part.content for part in answer.parts if isinstance(part, ThinkingPart)),
        calls=[(call.tool_call_id, call.tool_name, arguments_of(call.args)) for call in calls],
        usage=(answer.usage.input_tokens, answer.usage.output_tokens),
    )


if __name__ == "__main__":
    serve(ask)
