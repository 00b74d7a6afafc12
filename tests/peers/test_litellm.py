"""LiteLLM's proxy with mocked answers."""

import pytest

from agentcore.chat import FinishReason
from agentcore.providers.clients import DIALECTS
from tests.peers.asking import Server, asked

WIRES = [dialect for dialect in DIALECTS if dialect != "ollama"]
MOCKED = {"openai_chat": "mock-gpt", "anthropic": "mock-claude"}

pytestmark = pytest.mark.peer


@pytest.mark.parametrize("dialect", [dialect for dialect in WIRES if dialect in MOCKED])
async def test_a_mocked_answer_is_streamed_with_usage(litellm: Server, dialect: str) -> None:
    outcome = await asked(litellm, dialect, "hi", model=MOCKED[dialect])

    assert outcome.whole.text == "Hello from LiteLLM mock."
    assert outcome.whole.finish_reason is FinishReason.STOP
    assert outcome.whole.usage.output_tokens > 0


@pytest.mark.parametrize("dialect", WIRES)
async def test_a_mocked_answer_is_read_whole(litellm: Server, dialect: str) -> None:
    outcome = await asked(litellm, dialect, "hi", model=MOCKED.get(dialect, litellm.model), stream=False)

    assert outcome.whole.text == "Hello from LiteLLM mock."
    assert not outcome.whole.usage.estimated


@pytest.mark.parametrize("dialect", [dialect for dialect in WIRES if dialect not in MOCKED])
async def test_a_stream_that_it_fails_to_start_is_a_typed_error(litellm: Server, dialect: str) -> None:
    """It does not stream mocked responses: its answer is an error in a stream, with the status 500."""
    outcome = await asked(litellm, dialect, "hi")

    assert outcome.code == "PROVIDER_UNAVAILABLE"
    assert outcome.error is not None
    assert outcome.error.retryable


@pytest.mark.parametrize("dialect", WIRES)
async def test_a_wrong_key_is_told_as_one(litellm: Server, dialect: str) -> None:
    outcome = await asked(litellm, dialect, "hi", api_key="sk-wrong")

    assert outcome.code == "PROVIDER_AUTH_FAILED"
    assert "sk-wrong" not in str(outcome.error)


@pytest.mark.parametrize("dialect", WIRES)
async def test_a_model_that_it_does_not_have_is_told_as_one(litellm: Server, dialect: str) -> None:
    outcome = await asked(litellm, dialect, "hi", model="no-such-model")

    assert outcome.code == "MODEL_NOT_FOUND"
