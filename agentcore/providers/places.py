"""Places: where a model answers, told by the host, and what holds for all models there."""

import ipaddress
from enum import StrEnum
from typing import Any
from urllib.parse import urlsplit


class Place(StrEnum):
    """Who runs the server. ``LOCAL`` is a machine of the site's own, ``OTHER`` one that nobody here knows."""

    OPENAI = "openai"
    ANTHROPIC = "anthropic"
    GOOGLE = "google"
    DEEPSEEK = "deepseek"
    DASHSCOPE = "dashscope"
    MOONSHOT = "moonshot"
    ZHIPU = "zhipu"
    MISTRAL = "mistral"
    GROQ = "groq"
    OPENROUTER = "openrouter"
    OLLAMA = "ollama"
    LOCAL = "local"
    MOCK = "mock"
    OTHER = "other"


# Ends of host names; the first that fits.
_HOSTS = {
    "api.openai.com": Place.OPENAI,
    "openai.azure.com": Place.OPENAI,
    "api.anthropic.com": Place.ANTHROPIC,
    "googleapis.com": Place.GOOGLE,
    "api.deepseek.com": Place.DEEPSEEK,
    "aliyuncs.com": Place.DASHSCOPE,
    "api.moonshot.cn": Place.MOONSHOT,
    "api.moonshot.ai": Place.MOONSHOT,
    "bigmodel.cn": Place.ZHIPU,
    "api.z.ai": Place.ZHIPU,
    "api.mistral.ai": Place.MISTRAL,
    "api.groq.com": Place.GROQ,
    "openrouter.ai": Place.OPENROUTER,
    "ollama.com": Place.OLLAMA,
}
# Where a provider without an address of its own lives.
_HOMES = {"openai_chat": Place.OPENAI, "openai_responses": Place.OPENAI, "anthropic": Place.ANTHROPIC}
_PRIVATE_ENDS = (".local", ".localhost", ".internal", ".lan", ".home.arpa")

# The fields of a profile that differ there.
#
# Sources: https://platform.openai.com/docs/api-reference/chat/create (max_completion_tokens, strict),
# https://ai.google.dev/gemini-api/docs/openai, https://docs.mistral.ai/api (refuses stream_options and what else it
# does not know), https://console.groq.com/docs/reasoning, https://openrouter.ai/docs/use-cases/reasoning-tokens,
# https://platform.moonshot.ai/docs/api/chat, https://github.com/ggml-org/llama.cpp/tree/master/tools/server,
# https://docs.vllm.ai/en/latest/features/structured_outputs, https://lmstudio.ai/docs/developer,
# https://docs.ollama.com/capabilities/structured-outputs (any model's answer can be bound to a schema).
FIELDS: dict[Place, dict[str, Any]] = {
    Place.OPENAI: {"json_schema": True, "schema_dialect": "strict", "max_tokens_field": "max_completion_tokens"},
    Place.GOOGLE: {"json_schema": True, "schema_dialect": "openapi"},
    Place.MOONSHOT: {"max_tokens_field": "max_completion_tokens"},
    Place.MISTRAL: {"json_schema": True, "stream_usage": False},
    Place.GROQ: {"reasoning_field": "reasoning"},
    Place.OPENROUTER: {"reasoning_field": "reasoning"},
    Place.OLLAMA: {"json_schema": True},
    Place.LOCAL: {"json_schema": True},
}


def place_of(*, provider_type: str, base_url: str) -> Place:
    """Where a provider answers. A server of Ollama's is one wherever it stands."""
    if provider_type in {"mock", "ollama"}:
        return Place(provider_type)
    if not base_url:
        return _HOMES.get(provider_type, Place.OTHER)
    host = (_host_of(base_url) or "").rstrip(".").lower()
    known = (place for end, place in _HOSTS.items() if host == end or host.endswith(f".{end}"))
    return next(known, Place.LOCAL if _is_private(host) else Place.OTHER)


def _host_of(base_url: str) -> str | None:
    try:
        return urlsplit(base_url).hostname
    except ValueError:
        return None


def _is_private(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        # A name without a dot is a machine nearby, or a container.
        return bool(host) and ("." not in host or host.endswith(_PRIVATE_ENDS))
