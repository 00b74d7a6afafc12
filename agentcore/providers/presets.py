"""Presets: what an admin would else look up to set up a well-known provider."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _

OPENAI_CHAT = "openai_chat"


@dataclass(frozen=True, kw_only=True)
class Preset:
    """Fills the form of a provider. ``slug`` is also the provider id that it proposes.

    ``needs_key`` says whether it answers only with a key; the default model is an example, the provider's own list is
    what counts.
    """

    slug: str
    name: str
    base_url: str = ""
    provider_type: str = OPENAI_CHAT
    default_model: str = ""
    needs_key: bool = True
    note: Any = ""

    def initial(self) -> dict[str, Any]:
        """The fields of the form."""
        return {
            "slug": self.slug,
            "name": self.name,
            "provider_type": self.provider_type,
            "base_url": self.base_url,
            "default_model": self.default_model,
        }


_KEY = _("Needs a key.")
_LOCAL = _("Runs on a machine of yours; needs no key. Enter the model that it serves.")

# Source of the addresses and models: the documentation that `places.py` and `families.py` name. To OpenAI itself its
# Responses are spoken, since only they take thinking back between calls.
PRESETS: tuple[Preset, ...] = (
    Preset(
        slug="openai",
        name="OpenAI",
        base_url="https://api.openai.com/v1",
        provider_type="openai_responses",
        default_model="gpt-6-luna",
        note=_KEY,
    ),
    Preset(
        slug="anthropic",
        name="Anthropic",
        base_url="https://api.anthropic.com",
        provider_type="anthropic",
        default_model="claude-haiku-5-5",
        note=_KEY,
    ),
    Preset(
        slug="deepseek",
        name="DeepSeek",
        base_url="https://api.deepseek.com/v1",
        default_model="deepseek-flash",
        note=_KEY,
    ),
    Preset(
        slug="qwen",
        name="Qwen (DashScope)",
        base_url="https://dashscope.aliyuncs.com/compatible-mode/v1",
        default_model="qwen-plus",
        note=_("Needs a key. Outside of China the address is dashscope-intl.aliyuncs.com."),
    ),
    Preset(
        slug="moonshot",
        name="Moonshot",
        base_url="https://api.moonshot.cn/v1",
        default_model="kimi-k2.6",
        note=_("Needs a key. Outside of China the address is api.moonshot.ai, with a key of its own."),
    ),
    Preset(
        slug="zhipu",
        name="Zhipu",
        base_url="https://open.bigmodel.cn/api/paas/v4",
        default_model="glm-5.3-flash",
        note=_("Needs a key. Outside of China the address is api.z.ai/api/paas/v4, with a key of its own."),
    ),
    Preset(
        slug="gemini",
        name="Google Gemini",
        base_url="https://generativelanguage.googleapis.com/v1beta/openai",
        default_model="gemini-3.8-flash",
        note=_("Needs a key. This is its OpenAI-compatible endpoint."),
    ),
    Preset(
        slug="mistral",
        name="Mistral",
        base_url="https://api.mistral.ai/v1",
        default_model="mistral-small-latest",
        note=_KEY,
    ),
    Preset(
        slug="groq",
        name="Groq",
        base_url="https://api.groq.com/openai/v1",
        default_model="openai/gpt-oss-20b",
        note=_KEY,
    ),
    Preset(
        slug="openrouter",
        name="OpenRouter",
        base_url="https://openrouter.ai/api/v1",
        default_model="openrouter/auto",
        note=_KEY,
    ),
    Preset(
        slug="ollama",
        name="Ollama",
        base_url="http://127.0.0.1:11434",
        provider_type="ollama",
        needs_key=False,
        note=_LOCAL,
    ),
    Preset(slug="lm-studio", name="LM Studio", base_url="http://127.0.0.1:1234/v1", needs_key=False, note=_LOCAL),
    Preset(slug="vllm", name="vLLM", base_url="http://127.0.0.1:8000/v1", needs_key=False, note=_LOCAL),
    Preset(slug="llama-cpp", name="llama.cpp", base_url="http://127.0.0.1:8080/v1", needs_key=False, note=_LOCAL),
    Preset(
        slug="mock",
        name="Mock (offline)",
        provider_type="mock",
        default_model="mock-1",
        needs_key=False,
        note=_("Answers by script, without any network: for trying things out."),
    ),
)

BY_SLUG: dict[str, Preset] = {preset.slug: preset for preset in PRESETS}
