"""SmolLM2: plain chat."""

import pytest

from tests.local_llm.conftest import Ask
from tests.site import Site

pytestmark = [pytest.mark.local_llm, pytest.mark.usefixtures("smollm2")]


def test_it_answers_a_plain_question_streamed_with_usage(ask: Ask) -> None:
    turn = ask("Tell me about Paris in one sentence.", provider_id="local", allowed_tools=[])

    deltas = turn.data("TextDelta")
    assert len(deltas) > 1
    assert turn.end["output"] == "".join(delta["text"] for delta in deltas)
    assert "Paris" in turn.end["output"]
    usage = turn.end["usage"]
    assert usage["estimated"] is False
    assert usage["input_tokens"] > 0
    assert usage["output_tokens"] >= len(deltas)
    assert (turn.end["provider_id"], turn.end["model"]) == ("local", "smollm2")
    # The demo has a price for it, so a turn of it costs something.
    assert float(turn.end["cost"]) > 0


def test_a_model_that_knows_no_tools_still_answers_where_there_are_some(ask: Ask) -> None:
    turn = ask("Say hello.", provider_id="local")

    assert turn.end["output"]
    assert turn.data("ToolCallStarted") == []


def test_ask_streams_its_text_to_stdout_alone(site: Site) -> None:
    done = site.manage("ask", "--provider", "local", "Tell me about Paris in one sentence.")

    assert done.returncode == 0, done.stderr
    assert "Paris" in done.stdout
