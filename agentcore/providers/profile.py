"""A profile: what a model can do, and how its provider wants it said. Data, with a provider's own corrections."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache
from types import NoneType
from typing import Any, get_args, get_type_hints

from django.utils.translation import gettext as _

from agentcore.providers.families import families_of
from agentcore.providers.places import FIELDS, Place, place_of
from agentcore.providers.windows import window_of


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
    chat: bool = True
    embeddings: bool = False

    def corrected(self, corrections: Mapping[str, Any]) -> "ModelProfile":
        """With what is known better. What ``corrections_check`` has a problem with is left out."""
        right = {name: value for name, value in corrections.items() if not _problem(name, value)}
        return replace(self, **{name: _typed(name, value) for name, value in right.items()})


def capabilities_of(profile: ModelProfile) -> list[str]:
    """What the model can do, in the contract's words."""
    if not profile.chat:
        return ["embeddings"] if profile.embeddings else []
    can = {
        "tool_calling": profile.tool_mode is not ToolMode.NONE,
        "vision": profile.vision,
        "reasoning": profile.reasoning,
        "json_schema": profile.json_schema,
        "embeddings": profile.embeddings,
    }
    return ["chat", "streaming", *(word for word, can_it in can.items() if can_it)]


# The type of each field; ``int | None`` is both.
_TYPES: dict[str, tuple[type, ...]] = {
    name: get_args(hint) or (hint,) for name, hint in get_type_hints(ModelProfile).items()
}


def corrections_check(corrections: Any) -> list[str]:
    """What is wrong with a provider's corrections, a sentence each, for who entered them."""
    if not isinstance(corrections, Mapping):
        return [_("The profile is a JSON object.")]
    return [problem for name, value in corrections.items() if (problem := _problem(name, value))]


def _problem(name: Any, value: Any) -> str:
    """What is wrong with a correction; nothing when it is right."""
    if name not in _TYPES:
        known = ", ".join(_TYPES)
        return _("“%(name)s” is no field of a profile. Its fields are: %(known)s.") % {"name": name, "known": known}
    if _fits(name, value):
        return ""
    return _("“%(name)s” takes %(values)s.") % {"name": name, "values": _values_of(name)}


def _fits(name: str, value: Any) -> bool:
    kind = _TYPES[name][0]
    if issubclass(kind, StrEnum):
        return isinstance(value, str) and value in kind._value2member_map_
    if value is None:
        return NoneType in _TYPES[name]
    if kind is int:
        return type(value) is int and value > 0
    if kind is str:
        return type(value) is str and value.isidentifier()
    return type(value) is kind


def _values_of(name: str) -> str:
    """What a field takes, in words."""
    kind = _TYPES[name][0]
    if issubclass(kind, StrEnum):
        return ", ".join(f"“{member}”" for member in kind)
    words = {bool: _("true or false"), int: _("a whole number of tokens above 0, or null"), str: _("a text")}
    return words[kind]


def _typed(name: str, value: Any) -> Any:
    kind = _TYPES[name][0]
    return kind(value) if issubclass(kind, StrEnum) else value


@dataclass(frozen=True, kw_only=True)
class Target:
    """What a request is written for: the model's profile, and the provider's own options, a JSON object."""

    profile: ModelProfile = field(default_factory=ModelProfile)
    options: Mapping[str, Any] = field(default_factory=dict)


# Servers that were started with a window of their own, whatever the model could take.
_OWN_WINDOWS = {Place.LOCAL, Place.OLLAMA}
# What a wire format has that others have not.
_OF_TYPE: dict[str, dict[str, Any]] = {"anthropic": {"cache_markers": True}}


def profile_of(*, provider_type: str, base_url: str, model: str, corrections: Mapping[str, Any]) -> ModelProfile:
    """The profile of a model at a provider.

    What is known of the wire format, of the place and of the model's family, each laid over the one before, and over
    all of it what the provider's admin knows better.
    """
    return _known(provider_type, base_url, model).corrected(corrections)


@lru_cache(maxsize=4096)
def _known(provider_type: str, base_url: str, model: str) -> ModelProfile:
    place = place_of(provider_type=provider_type, base_url=base_url)
    fields = _OF_TYPE.get(provider_type, {}) | FIELDS.get(place, {})
    for family in families_of(model, place):
        fields |= family.fields
    window = None if place in _OWN_WINDOWS else fields.get("context_window") or window_of(model, place)
    return ModelProfile().corrected(fields | {"context_window": window})
