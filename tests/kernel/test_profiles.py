"""Profiles: what is known of a model, and what an admin knows better."""

from typing import Any

import pytest

from agentcore.providers.profile import (
    ModelProfile,
    Replay,
    SchemaDialect,
    ToolMode,
    capabilities_of,
    corrections_check,
)


def test_corrections_of_every_kind_are_taken() -> None:
    corrections = {
        "tool_mode": "json_schema",
        "replay_reasoning": "always",
        "schema_dialect": "strict",
        "vision": True,
        "reasoning_field": "reasoning",
        "context_window": 8192,
        "output_cap": None,
    }
    assert corrections_check(corrections) == []
    assert ModelProfile(output_cap=5).corrected(corrections) == ModelProfile(
        tool_mode=ToolMode.JSON_SCHEMA,
        replay_reasoning=Replay.ALWAYS,
        schema_dialect=SchemaDialect.STRICT,
        vision=True,
        reasoning_field="reasoning",
        context_window=8192,
    )


WRONG = [
    ({"visoin": True}, "visoin"),
    ({"tool_mode": "magic"}, "native"),
    ({"tool_mode": None}, "native"),
    ({"tool_mode": ["native"]}, "native"),
    ({"vision": "yes"}, "true or false"),
    ({"vision": 1}, "true or false"),
    ({"vision": None}, "true or false"),
    ({"context_window": True}, "whole number"),
    ({"context_window": 0}, "whole number"),
    ({"context_window": 8.5}, "whole number"),
    ({"reasoning_field": ""}, "a text"),
    ({"max_tokens_field": None}, "a text"),
]


@pytest.mark.parametrize(("corrections", "said"), WRONG)
def test_a_wrong_correction_is_named_with_what_is_allowed(corrections: dict[str, Any], said: str) -> None:
    [problem] = corrections_check(corrections)
    assert next(iter(corrections)) in problem
    assert said in problem


@pytest.mark.parametrize(("corrections", "_said"), WRONG)
def test_a_wrong_correction_in_a_row_changes_nothing(corrections: dict[str, Any], _said: str) -> None:
    assert ModelProfile().corrected({**corrections, "reasoning": True}) == ModelProfile(reasoning=True)


@pytest.mark.parametrize("corrections", [None, [], "vision", 1])
def test_corrections_that_are_no_object_are_one_problem(corrections: Any) -> None:
    assert len(corrections_check(corrections)) == 1


def test_capabilities_are_the_words_of_the_contract() -> None:
    everything = ModelProfile(vision=True, reasoning=True, json_schema=True)
    assert capabilities_of(everything) == ["chat", "streaming", "tool_calling", "vision", "reasoning", "json_schema"]
    assert capabilities_of(ModelProfile(tool_mode=ToolMode.NONE)) == ["chat", "streaming"]
    assert capabilities_of(ModelProfile(embeddings=True, vision=True)) == ["embeddings"]
