"""A profile: what a model can do, and how its provider wants it said. Data, with a provider's own corrections."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any


class ToolMode(StrEnum):
    """How a model calls tools: by itself, through an answer that is bound to a schema, or not at all."""

    NATIVE = "native"
    JSON_SCHEMA = "json_schema"
    NONE = "none"


class Replay(StrEnum):
    """When a model wants its thinking back: never, until the calls that it led to are answered, or always."""

    NEVER = "never"
    TOOLS = "tools"
    ALWAYS = "always"


class SchemaDialect(StrEnum):
    """Which JSON schema a model takes for its tools."""

    # As it is.
    FULL = "full"
    # References inlined, nothing else changed.
    INLINED = "inlined"
    # OpenAI's strict mode: every property required, no others, null for what may be left out.
    STRICT = "strict"
    # The subset of OpenAPI 3.0 that Gemini takes: inlined, ``nullable`` in place of a null type.
    OPENAPI = "openapi"


@dataclass(frozen=True, kw_only=True)
class ModelProfile:
    """What is known of a model. The defaults are those of a server that nobody knows.

    ``reasoning_field`` is what a chat completion calls the thinking it replays; ``max_tokens_field`` what it calls the
    output limit; ``stream_usage`` says that it takes ``stream_options``. ``context_window`` and ``output_cap`` are in
    tokens, None when unknown.
    """

    tool_mode: ToolMode = ToolMode.NATIVE
    parallel_tools: bool = True
    vision: bool = False
    json_schema: bool = False
    reasoning: bool = False
    reasoning_field: str = "reasoning_content"
    replay_reasoning: Replay = Replay.NEVER
    schema_dialect: SchemaDialect = SchemaDialect.FULL
    stream_usage: bool = True
    max_tokens_field: str = "max_tokens"
    cache_markers: bool = False
    context_window: int | None = None
    output_cap: int | None = None

    def corrected(self, corrections: Mapping[str, Any]) -> "ModelProfile":
        """With what a provider's admin knows better; names that are no field are left out."""
        known = {name: _typed(name, value) for name, value in corrections.items() if name in _FIELDS}
        return replace(self, **known)


_FIELDS = frozenset(ModelProfile.__dataclass_fields__)
_ENUMS: dict[str, type[StrEnum]] = {
    "tool_mode": ToolMode,
    "replay_reasoning": Replay,
    "schema_dialect": SchemaDialect,
}


def _typed(name: str, value: Any) -> Any:
    return _ENUMS[name](value) if name in _ENUMS else value


@dataclass(frozen=True, kw_only=True)
class Target:
    """What a request is written for: the model's profile, and the provider's own options, a JSON object."""

    profile: ModelProfile = field(default_factory=ModelProfile)
    options: Mapping[str, Any] = field(default_factory=dict)


def profile_of(*, provider_type: str, base_url: str, model: str, corrections: Mapping[str, Any]) -> ModelProfile:
    """The profile of a model at a provider."""
    return ModelProfile().corrected(corrections)
