"""Profiles: what is known of a model, and what an admin knows better."""

import re
from typing import Any

import pytest

from agentcore.providers.clients import DIALECTS
from agentcore.providers.families import FAMILIES, Family
from agentcore.providers.places import FIELDS, Place, place_of
from agentcore.providers.presets import PRESETS, Preset
from agentcore.providers.profile import (
    ModelProfile,
    Replay,
    SchemaDialect,
    ToolMode,
    capabilities_of,
    corrections_check,
    profile_of,
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
    ({"max_tokens_field": "max\x00tokens"}, "a text"),
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


@pytest.mark.parametrize(
    ("profile", "words"),
    [
        (ModelProfile(), ["chat", "streaming", "tool_calling"]),
        (ModelProfile(tool_mode=ToolMode.NONE), ["chat", "streaming"]),
        (ModelProfile(tool_mode=ToolMode.JSON_SCHEMA), ["chat", "streaming", "tool_calling"]),
        (
            ModelProfile(vision=True, reasoning=True, json_schema=True),
            ["chat", "streaming", "tool_calling", "vision", "reasoning", "json_schema"],
        ),
        (ModelProfile(chat=False, embeddings=True, json_schema=True), ["embeddings"]),
        (ModelProfile(chat=False), []),
    ],
)
def test_capabilities_are_the_words_of_the_contract(profile: ModelProfile, words: list[str]) -> None:
    assert capabilities_of(profile) == words


OPENAI, OLLAMA, LOCAL = "https://api.openai.com/v1", "http://192.168.0.7:11434", "http://127.0.0.1:8080/v1"
GOOGLE = "https://generativelanguage.googleapis.com/v1beta/openai"
OPENROUTER, GROQ = "https://openrouter.ai/api/v1", "https://api.groq.com/openai/v1"
DEEPSEEK, MOONSHOT, ZHIPU = (
    "https://api.deepseek.com",
    "https://api.moonshot.cn/v1",
    "https://open.bigmodel.cn/api/paas/v4",
)
QWEN, MISTRAL = "https://dashscope-intl.aliyuncs.com/compatible-mode/v1", "https://api.mistral.ai/v1"
ELSEWHERE = "https://llm.example.com/v1"

KNOWN: list[tuple[str, str, str, dict[str, Any]]] = [
    # What nobody knows is a plain server with tools.
    ("openai_chat", ELSEWHERE, "unheard-of", {}),
    ("openai_chat", LOCAL, "unheard-of", {"json_schema": True}),
    ("mock", "", "mock-1", {}),
    (
        "openai_chat",
        "",
        "gpt-4o-mini",
        {
            "vision": True,
            "json_schema": True,
            "schema_dialect": SchemaDialect.STRICT,
            "max_tokens_field": "max_completion_tokens",
            "context_window": 128000,
            "output_cap": 16384,
        },
    ),
    (
        "openai_chat",
        ELSEWHERE,
        "gpt-4o-mini",
        {"vision": True, "schema_dialect": SchemaDialect.FULL, "max_tokens_field": "max_tokens"},
    ),
    (
        "openai_chat",
        OPENAI,
        "gpt-3.5-turbo",
        {"vision": False, "json_schema": False, "schema_dialect": SchemaDialect.FULL},
    ),
    ("openai_chat", OPENAI, "gpt-4", {"vision": False, "json_schema": False, "context_window": 8192}),
    ("openai_chat", OPENAI, "gpt-4-turbo", {"vision": True, "output_cap": 4096}),
    ("openai_chat", OPENAI, "gpt-4.1-nano", {"vision": True, "context_window": 1047576}),
    ("openai_chat", OPENAI, "o4-mini", {"vision": True, "reasoning": True, "output_cap": 100000}),
    ("openai_chat", OPENAI, "o3-mini", {"vision": False, "reasoning": True}),
    ("openai_chat", OPENAI, "o1-mini", {"tool_mode": ToolMode.NONE, "json_schema": False}),
    ("openai_chat", ELSEWHERE, "openai/gpt-5-mini", {"reasoning": True, "max_tokens_field": "max_completion_tokens"}),
    ("openai_responses", "", "gpt-6-luna", {"reasoning": True, "vision": True, "context_window": 1050000}),
    ("openai_chat", OPENAI, "gpt-5-chat-latest", {"reasoning": False, "output_cap": 16384}),
    (
        "openai_chat",
        GROQ,
        "openai/gpt-oss-20b",
        {"reasoning": True, "reasoning_field": "reasoning", "json_schema": True},
    ),
    (
        "anthropic",
        "",
        "claude-3-haiku-20240307",
        {"vision": True, "reasoning": False, "cache_markers": True, "output_cap": 4096},
    ),
    ("anthropic", "", "claude-3-5-sonnet-20241022", {"reasoning": False, "output_cap": 8192}),
    ("anthropic", "", "claude-3-7-sonnet-latest", {"reasoning": True, "output_cap": 64000}),
    ("anthropic", "", "claude-opus-4-20250514", {"output_cap": 32000, "json_schema": False, "context_window": 200000}),
    ("anthropic", "", "claude-opus-4-1-20250805", {"output_cap": 32000, "json_schema": True}),
    ("anthropic", "", "claude-sonnet-4-5", {"output_cap": 64000, "json_schema": True, "context_window": 200000}),
    ("anthropic", "", "claude-opus-4-6", {"output_cap": 128000, "context_window": 1000000}),
    ("anthropic", "", "claude-haiku-5-5", {"reasoning": True, "output_cap": 128000, "context_window": 1000000}),
    (
        "openai_chat",
        OPENROUTER,
        "anthropic/claude-3.5-sonnet",
        {"vision": True, "cache_markers": False, "output_cap": 8192},
    ),
    ("openai_chat", DEEPSEEK, "deepseek-chat", {"reasoning": False, "replay_reasoning": Replay.NEVER}),
    ("openai_chat", DEEPSEEK, "deepseek-flash", {"reasoning": True, "replay_reasoning": Replay.ALWAYS, "vision": True}),
    ("openai_chat", ELSEWHERE, "deepseek-ai/DeepSeek-V3.2", {"reasoning": True, "replay_reasoning": Replay.TOOLS}),
    ("ollama", OLLAMA, "deepseek-r1:8b", {"reasoning": True, "tool_mode": ToolMode.JSON_SCHEMA}),
    ("openai_chat", QWEN, "qwen-vl-max", {"vision": True, "reasoning": False}),
    ("openai_chat", QWEN, "qwq-plus", {"vision": False, "reasoning": True}),
    ("openai_chat", QWEN, "qwen3-30b-a3b-instruct-2507", {"reasoning": False}),
    ("openai_chat", QWEN, "qwen3.6-plus", {"vision": True, "reasoning": True}),
    ("ollama", OLLAMA, "qwen2.5:7b", {"reasoning": False, "tool_mode": ToolMode.NATIVE}),
    ("openai_chat", MOONSHOT, "kimi-k2.6", {"reasoning": True, "vision": True, "replay_reasoning": Replay.ALWAYS}),
    ("openai_chat", MOONSHOT, "moonshot-v1-8k", {"reasoning": False, "context_window": 8192}),
    (
        "openai_chat",
        ZHIPU,
        "glm-4.7",
        {"reasoning": True, "replay_reasoning": Replay.TOOLS, "vision": False, "context_window": 200000},
    ),
    ("openai_chat", ZHIPU, "glm-4.5v", {"vision": True}),
    ("openai_chat", ZHIPU, "glm-4-plus", {"reasoning": False}),
    (
        "openai_chat",
        GOOGLE,
        "models/gemini-2.5-flash",
        {"vision": True, "reasoning": True, "schema_dialect": SchemaDialect.OPENAPI},
    ),
    (
        "openai_chat",
        OPENROUTER,
        "google/gemini-2.5-flash",
        {"schema_dialect": SchemaDialect.INLINED, "reasoning_field": "reasoning"},
    ),
    (
        "openai_chat",
        GOOGLE,
        "gemini-3.8-flash",
        {"reasoning_field": "thought_signature", "replay_reasoning": Replay.TOOLS},
    ),
    ("openai_chat", GOOGLE, "gemini-1.5-pro", {"reasoning": False, "output_cap": 8192}),
    ("openai_chat", GOOGLE, "gemma-3-27b-it", {"tool_mode": ToolMode.NONE, "json_schema": False}),
    ("ollama", OLLAMA, "gemma3:4b", {"tool_mode": ToolMode.JSON_SCHEMA, "json_schema": True, "vision": True}),
    ("ollama", OLLAMA, "gemma3:1b", {"tool_mode": ToolMode.JSON_SCHEMA, "vision": False}),
    ("ollama", OLLAMA, "llava:13b", {"tool_mode": ToolMode.JSON_SCHEMA, "vision": True}),
    ("openai_chat", ELSEWHERE, "openbmb/MiniCPM-V-2_6", {"tool_mode": ToolMode.NONE, "vision": True}),
    ("ollama", OLLAMA, "gemma4:26b", {"tool_mode": ToolMode.NATIVE, "vision": True}),
    ("openai_chat", MISTRAL, "mistral-small-latest", {"vision": True, "stream_usage": False, "reasoning": False}),
    ("openai_chat", MISTRAL, "magistral-medium-latest", {"reasoning": True}),
    ("openai_chat", MISTRAL, "pixtral-12b-2409", {"vision": True}),
    ("openai_chat", MISTRAL, "mistral-embed", {"chat": False, "embeddings": True}),
    ("openai_chat", GROQ, "llama-3.3-70b-versatile", {"tool_mode": ToolMode.NATIVE, "vision": False}),
    ("openai_chat", LOCAL, "Meta-Llama-3.1-8B-Instruct", {"tool_mode": ToolMode.NATIVE}),
    ("openai_chat", GROQ, "meta-llama/llama-4-scout-17b-16e-instruct", {"vision": True}),
    ("ollama", OLLAMA, "llama3.2-vision:11b", {"vision": True}),
    ("ollama", OLLAMA, "llama3:8b", {"tool_mode": ToolMode.JSON_SCHEMA}),
    ("openai_chat", LOCAL, "microsoft/phi-4", {"tool_mode": ToolMode.JSON_SCHEMA}),
    ("openai_chat", LOCAL, "Phi-4-mini-instruct", {"tool_mode": ToolMode.NATIVE}),
    ("openai_chat", LOCAL, "smollm2", {"tool_mode": ToolMode.NONE}),
    ("openai_chat", LOCAL, "SmolLM3-3B", {"tool_mode": ToolMode.NATIVE}),
    ("openai_chat", OPENAI, "text-embedding-3-small", {"chat": False, "embeddings": True}),
    ("ollama", OLLAMA, "bge-m3", {"chat": False, "embeddings": True}),
    ("openai_chat", OPENAI, "whisper-1", {"chat": False, "embeddings": False}),
    ("openai_chat", OPENAI, "gpt-4o-mini-tts", {"chat": False}),
]


def known(provider_type: str, base_url: str, model: str, **corrections: Any) -> ModelProfile:
    return profile_of(provider_type=provider_type, base_url=base_url, model=model, corrections=corrections)


@pytest.mark.parametrize(("provider_type", "base_url", "model", "fields"), KNOWN)
def test_a_model_has_the_profile_of_its_family_and_its_place(
    provider_type: str, base_url: str, model: str, fields: dict[str, Any]
) -> None:
    profile = known(provider_type, base_url, model)
    assert {name: getattr(profile, name) for name in fields} == fields
    if not fields:
        assert profile == ModelProfile()


def test_corrections_win_over_all_that_is_known() -> None:
    profile = known("openai_chat", OPENAI, "gpt-4o", vision=False, schema_dialect="full", context_window=None)
    assert (profile.vision, profile.schema_dialect, profile.context_window) == (False, SchemaDialect.FULL, None)
    assert profile.output_cap == 16384


@pytest.mark.parametrize(("provider_type", "base_url"), [("ollama", OLLAMA), ("openai_chat", LOCAL)])
def test_the_window_of_a_server_of_ones_own_is_unknown(provider_type: str, base_url: str) -> None:
    assert known(provider_type, base_url, "gpt-oss:20b").context_window is None
    assert known(provider_type, base_url, "gpt-oss:20b", context_window=8192).context_window == 8192


@pytest.mark.parametrize(
    ("base_url", "place"),
    [
        ("", Place.OPENAI),
        ("https://API.OpenAI.com./v1", Place.OPENAI),
        ("https://mine.openai.azure.com/openai/v1", Place.OPENAI),
        ("https://api.openai.com.example.com/v1", Place.OTHER),
        ("https://notopenrouter.ai/v1", Place.OTHER),
        ("http://localhost:1234/v1", Place.LOCAL),
        ("http://vllm:8000/v1", Place.LOCAL),
        ("http://gpu.lan:8000/v1", Place.LOCAL),
        ("http://[::1]:8000/v1", Place.LOCAL),
        ("http://10.0.0.5/v1", Place.LOCAL),
        ("http://8.8.8.8/v1", Place.OTHER),
        ("http://[broken/v1", Place.OTHER),
        ("nonsense", Place.OTHER),
    ],
)
def test_a_place_is_told_by_its_host(base_url: str, place: Place) -> None:
    assert place_of(provider_type="openai_chat", base_url=base_url) is place


@pytest.mark.parametrize("fields", [*FIELDS.values(), *(family.fields for family in FAMILIES)])
def test_every_field_of_a_table_is_one_that_could_be_entered(fields: dict[str, Any]) -> None:
    assert corrections_check(fields) == []


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.pattern)
def test_every_pattern_can_match_what_is_compared_with_it(family: Family) -> None:
    # Names are compared in small letters and without their maker.
    assert "/" not in family.pattern
    assert not re.search(r"(?<!\\)[A-Z]", family.pattern)


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.slug)
def test_a_preset_is_of_a_type_that_is_spoken_and_stands_where_it_is_known(preset: Preset) -> None:
    assert preset.provider_type in {*DIALECTS, "mock"}
    assert place_of(provider_type=preset.provider_type, base_url=preset.base_url) is not Place.OTHER


@pytest.mark.parametrize("preset", [item for item in PRESETS if item.needs_key], ids=lambda preset: preset.slug)
def test_the_model_that_a_preset_proposes_chats_and_calls_tools(preset: Preset) -> None:
    capabilities = capabilities_of(known(preset.provider_type, preset.base_url, preset.default_model))
    assert capabilities[:3] == ["chat", "streaming", "tool_calling"]


def test_every_provider_of_the_contract_has_a_preset() -> None:
    assert [preset.slug for preset in PRESETS] == [
        *("openai", "anthropic", "deepseek", "qwen", "moonshot", "zhipu", "gemini", "mistral", "groq", "openrouter"),
        *("ollama", "lm-studio", "vllm", "llama-cpp", "mock"),
    ]
