"""Families of models: what their makers say that they can do."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from agentcore.providers.places import Place

# Servers that bind any model's answer to a schema.
_BINDING = frozenset({Place.LOCAL, Place.OLLAMA})
_EVERYWHERE = frozenset(Place)

_NO_CHAT = {"chat": False, "tool_mode": "none"}
_NO_TOOLS = {"tool_mode": "none"}
_BOUND_TOOLS = {"tool_mode": "json_schema"}
_SEES = {"vision": True}
_THINKS = {"reasoning": True}
_BOUND = {"json_schema": True}
_THINKS_IN_THE_LOOP = {"reasoning": True, "replay_reasoning": "tools"}
_THINKS_FOR_EVER = {"reasoning": True, "replay_reasoning": "always"}


@dataclass(frozen=True)
class Family:
    """Models whose name, in small letters and without its maker, has ``pattern`` in it, where they answer."""

    pattern: str
    fields: dict[str, Any]
    places: frozenset[Place] = _EVERYWHERE


# In order: each that fits is laid over those before it.
FAMILIES: tuple[Family, ...] = (
    # OpenAI: https://platform.openai.com/docs/models, https://platform.openai.com/docs/guides/reasoning
    Family(
        r"^(ft:)?gpt-3\.5",
        {"json_schema": False, "schema_dialect": "full", "context_window": 16385, "output_cap": 4096},
    ),
    Family(r"^(ft:)?gpt-4(?![.o])", {"json_schema": False, "context_window": 8192}),
    Family(r"^(ft:)?gpt-4-(turbo|vision|\d{4}-preview)", _SEES | {"context_window": 128000, "output_cap": 4096}),
    Family(r"^(ft:|chat)?gpt-4(o|\.5)", _SEES | _BOUND | {"context_window": 128000, "output_cap": 16384}),
    Family(r"^(ft:)?gpt-4\.1", _SEES | _BOUND | {"context_window": 1047576, "output_cap": 32768}),
    Family(
        r"^o[1-9]",
        _SEES
        | _BOUND
        | _THINKS
        | {"max_tokens_field": "max_completion_tokens", "context_window": 200000, "output_cap": 100000},
    ),
    Family(r"^o[13]-mini", {"vision": False}),
    Family(
        r"^o1-(mini|preview)",
        _NO_TOOLS | {"vision": False, "json_schema": False, "context_window": 128000, "output_cap": 65536},
    ),
    Family(
        r"^gpt-([5-9]|\d\d)",
        _SEES | _BOUND | _THINKS | {"max_tokens_field": "max_completion_tokens", "output_cap": 128000},
    ),
    Family(r"^gpt-5(\.\d+)?-chat", {"reasoning": False, "context_window": 128000, "output_cap": 16384}),
    Family(r"^gpt-oss", _THINKS | _BOUND | {"context_window": 131072}),
    # Anthropic: https://platform.claude.com/docs/en/about-claude/models/overview
    Family(r"claude", _SEES | _THINKS | _BOUND | {"output_cap": 128000}),
    Family(r"claude-(2|v1|v2|instant)", _NO_TOOLS | {"vision": False, "output_cap": 4096}),
    Family(r"claude-(2|v1|v2|instant|3)", {"reasoning": False, "json_schema": False, "context_window": 200000}),
    Family(r"claude-3-(opus|sonnet|haiku)", {"output_cap": 4096}),
    Family(r"claude-3[.-]5", {"output_cap": 8192}),
    Family(r"claude-3[.-]7", _THINKS | {"output_cap": 64000}),
    # 4 to 4.5, then 4 and 4.1, then the first 4: whatever follows a 4 is its minor version, or a date.
    Family(
        r"claude-4-|claude-(opus|sonnet|haiku)-4(?!\d|[-.][6-9]\b)", {"context_window": 200000, "output_cap": 64000}
    ),
    Family(r"claude-4-opus|claude-opus-4(?!\d|[-.][2-9]\b)", {"output_cap": 32000}),
    Family(r"claude-4-|claude-(opus|sonnet)-4(?!\d|[-.][1-9]\b)", {"json_schema": False}),
    # DeepSeek: https://api-docs.deepseek.com/guides/thinking_mode. Its thinking must come back with each call that it
    # led to, also later; the first reasoner refused it.
    Family(r"deepseek", {"context_window": 131072}),
    Family(r"deepseek-r1", _THINKS),
    Family(r"deepseek-r1", _BOUND_TOOLS, _BINDING),
    Family(r"deepseek-v3\.[12]", _THINKS_IN_THE_LOOP),
    Family(
        r"deepseek-(v[4-9]|flash|pro|reasoner)", _THINKS_FOR_EVER | {"context_window": 1000000, "output_cap": 384000}
    ),
    Family(r"deepseek-flash|deepseek-v[4-9].*vision", _SEES),
    # Qwen: https://www.alibabacloud.com/help/en/model-studio/models, https://qwenlm.github.io/blog/qwen3
    Family(r"qwen3|qwen-(plus|flash|turbo)|qwen.*think|qvq", _THINKS),
    Family(r"qwq", _THINKS, _EVERYWHERE - {Place.OLLAMA}),
    Family(r"qwen.*(coder|instruct)|qwen3-max$", {"reasoning": False}),
    Family(r"qwen.*(vl|omni)|qvq|qwen3\.[5-9](?!.*(max|coder))", _SEES),
    # Moonshot: https://platform.moonshot.ai/docs/guide/use-kimi-k2-thinking-model
    Family(r"kimi", {"context_window": 262144}),
    Family(r"kimi-(k2-thinking|k2\.[5-9]|k[3-9]|thinking|latest)", _THINKS_FOR_EVER),
    Family(r"kimi-(k2\.[5-9]|k[3-9]|latest)|kimi.*vl|moonshot.*vision", _SEES),
    # Zhipu: https://docs.z.ai/guides/capabilities/thinking-mode
    Family(r"glm-?(4\.[5-9]|[5-9]|z1)", _THINKS_IN_THE_LOOP),
    Family(r"glm-?[\d.]+v|glm-5\.3-flash", _SEES),
    Family(r"glm-5\.3", {"output_cap": 128000}),
    # Google: https://ai.google.dev/gemini-api/docs/models, https://ai.google.dev/gemma/docs. What is not Google's own
    # endpoint rewrites a schema itself, once its references are gone.
    Family(r"gemini", _SEES | _BOUND | _THINKS | {"context_window": 1048576, "output_cap": 65536}),
    Family(r"gemini", {"schema_dialect": "inlined"}, _EVERYWHERE - {Place.GOOGLE}),
    Family(r"gemini-(1|2\.0|(pro|flash)(-1|-vision|$))", {"reasoning": False, "output_cap": 8192}),
    # It signs its calls, and refuses them without: https://ai.google.dev/gemini-api/docs/thought-signatures
    Family(
        r"gemini-([3-9]|\d\d|(pro|flash)(-lite)?-latest)",
        {"reasoning_field": "thought_signature", "replay_reasoning": "tools"},
        frozenset({Place.GOOGLE}),
    ),
    Family(r"gemma-?[123]|gemma:", _NO_TOOLS | {"json_schema": False}),
    Family(r"gemma-?[123]|gemma:", _BOUND_TOOLS | _BOUND, _BINDING),
    Family(r"gemma-?3(?!.*(1b|270m))", _SEES | {"context_window": 131072}),
    Family(r"gemma-?4", _SEES | _THINKS | {"context_window": 131072}),
    # Mistral: https://docs.mistral.ai/getting-started/models/models_overview
    Family(r"pixtral|magistral|mistral-(small|medium)-?(latest|25|26|3|4)|mistral-large-?(latest|25|26|3|4)", _SEES),
    Family(r"magistral", _THINKS),
    # Meta: https://www.llama.com/docs/model-cards-and-prompt-formats
    Family(r"llama-?(2|guard)|codellama|llama-?3(?![._\d]|-[1-3])", _NO_TOOLS | {"context_window": 8192}),
    Family(r"codellama|llama-?[23](?![._\d]|-[1-3])", _BOUND_TOOLS, _BINDING),
    Family(r"llama-?3[._-][1-3]", {"context_window": 131072}),
    Family(r"llama-?3[._-]2.*(11b|90b|vision)|llama-?4", _SEES),
    # Microsoft: https://huggingface.co/microsoft/phi-4, https://huggingface.co/microsoft/Phi-4-mini-instruct
    Family(r"phi-?[1-4]", _NO_TOOLS | {"context_window": 16384}),
    Family(r"phi-?[1-4]", _BOUND_TOOLS, _BINDING),
    Family(r"phi-?4-(mini|multimodal)", {"tool_mode": "native", "context_window": 131072}),
    Family(r"phi-?(3\.5-vision|3-vision|4-multimodal)", _SEES),
    # Hugging Face: https://huggingface.co/HuggingFaceTB/SmolLM2-1.7B-Instruct. Too small for a table of tools.
    Family(r"smollm(?!3)", _NO_TOOLS | {"context_window": 8192}),
    Family(r"smolvlm", _NO_TOOLS | _SEES),
    Family(r"smollm3", {"context_window": 65536}),
    # Small ones that look at pictures, of many makers: https://ollama.com/search?c=vision
    Family(r"llava|moondream|minicpm-v", _NO_TOOLS | _SEES),
    Family(r"llava|moondream|minicpm-v", _BOUND_TOOLS, _BINDING),
    # xAI: https://docs.x.ai/docs/models
    Family(r"grok-([3-9]|code)", _THINKS | _BOUND),
    Family(r"grok-(4|5|2-vision)", _SEES),
    # What answers no chat, whoever made it.
    Family(
        r"embed|\bada-002|(^|[-_])(bge|gte|e5|minilm|voyage)([-_]|$)", _NO_CHAT | {"embeddings": True, "vision": False}
    ),
    Family(
        r"whisper|\btts|transcribe|moderation|dall-e|gpt-image|chatgpt-image|imagen|rerank|realtime|^(sora|veo)-|[-_]ocr\b",
        _NO_CHAT,
    ),
)


def families_of(model: str, place: Place) -> Iterator[Family]:
    """The families that a model is of, in order. ``maker/model`` is the maker's model."""
    name = model.lower().rsplit("/", 1)[-1]
    return (family for family in FAMILIES if place in family.places and re.search(family.pattern, name))
