"""A provider as a plain value: what is needed to reach it, and nothing of a row."""

from dataclasses import dataclass, field
from typing import Any

from agentcore.providers.profile import ModelProfile, profile_of

ALIASES = {"openai_compatible": "openai_chat"}

# Every type that the contract names, with whether it is reached over the network.
PROVIDER_TYPES = {
    "mock": False,
    "openai_chat": True,
    "openai_responses": True,
    "anthropic": True,
    "ollama": True,
}


@dataclass(frozen=True, kw_only=True)
class ProviderSpec:
    """An upstream that answers model calls.

    ``needs_credential`` says that a key was set up for it, so that calling it without one is refused before any
    connection; a local server without a key has none set up. ``timeout_s`` bounds a whole call, in seconds. ``profile``
    corrects what is known of its models.
    """

    provider_id: str
    provider_type: str
    name: str = ""
    base_url: str = ""
    default_model: str = ""
    api_key: str = field(default="", repr=False)
    needs_credential: bool = False
    timeout_s: float | None = None
    options: dict[str, Any] = field(default_factory=dict)
    profile: dict[str, Any] = field(default_factory=dict)

    @property
    def canonical_type(self) -> str:
        """The type with its alias resolved."""
        return ALIASES.get(self.provider_type, self.provider_type)

    @property
    def lacks_key(self) -> bool:
        """Whether it cannot be called, since the key that was set up for it cannot be had."""
        return self.needs_credential and not self.api_key and PROVIDER_TYPES.get(self.canonical_type, False)

    def profile_of(self, model: str) -> ModelProfile:
        """What is known of one of its models."""
        return profile_of(
            provider_type=self.canonical_type, base_url=self.base_url, model=model, corrections=self.profile
        )


@dataclass(frozen=True, kw_only=True)
class Timeouts:
    """How long a call may be silent, in seconds. ``total_s`` bounds all of it; None leaves that to the run."""

    connect_s: float = 10
    first_token_s: float = 30
    idle_s: float = 60
    total_s: float | None = None
