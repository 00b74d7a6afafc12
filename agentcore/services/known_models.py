"""What is known of a provider's models, from what is stored and shipped: nobody is asked."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from agentcore.messages import Usage
from agentcore.models import ModelPrice, Provider
from agentcore.pricing import PriceBook
from agentcore.providers.probe import MOCK_MODELS
from agentcore.providers.profile import capabilities_of, profile_of
from agentcore.providers.spec import PROVIDER_TYPES

# Of the mock, which is no model that a profile could know.
MOCK_CAPABILITIES = ("chat", "streaming", "tool_calling")
ONE_TOKEN = Usage(input_tokens=1, output_tokens=1)


@dataclass(frozen=True, kw_only=True)
class KnownModel:
    """A model as it can be offered. ``context_window`` is in tokens, None when unknown."""

    id: str
    name: str
    capabilities: list[str]
    context_window: int | None


def entries_listed(provider: Provider) -> dict[str, dict[str, Any]]:
    """What the provider listed when it was asked last, by id. What the mock would say needs no asking."""
    is_mock = provider.provider_type == Provider.Type.MOCK
    entries = [asdict(model) for model in MOCK_MODELS] if is_mock else provider.models_found
    return {str(entry["id"]): entry for entry in entries if entry.get("id")}


def known_models(provider: Provider, names: Iterable[str] | None = None) -> list[KnownModel]:
    """What is known of the models called ``names``, else of those that the provider listed; sorted, each once."""
    listed = entries_listed(provider)
    wanted = listed if names is None else names
    return [_known(provider, name, listed.get(name, {})) for name in sorted(set(wanted))]


def known_model(provider: Provider, name: str) -> KnownModel:
    """The same of one model, which may be empty: then of those of this provider in general."""
    return known_models(provider, [name])[0]


def _known(provider: Provider, name: str, entry: dict[str, Any]) -> KnownModel:
    """A correction wins over the provider's own word, and that over what is known of the family."""
    profile = profile_of(
        provider_type=provider.provider_type, base_url=provider.base_url, model=name, corrections=provider.profile
    )
    is_real = PROVIDER_TYPES.get(provider.provider_type, True)
    corrected = "context_window" in provider.profile
    return KnownModel(
        id=name,
        name=entry.get("name") or name,
        capabilities=capabilities_of(profile) if is_real else list(MOCK_CAPABILITIES),
        context_window=profile.context_window if corrected else entry.get("context_window") or profile.context_window,
    )


def priced_models(provider: Provider, names: Iterable[str], *, at: datetime) -> set[str]:
    """Those of ``names`` whose price is known at a moment: the site's own, or a shipped one. 1 query."""
    own = set(ModelPrice.objects.filter(provider=provider, valid_from__lte=at).values_list("model", flat=True))
    return {name for name in names if name in own or _is_shipped(provider.provider_type, provider.base_url, name, at)}


def _is_shipped(provider_type: str, base_url: str, model: str, at: datetime) -> bool:
    # By day: a shipped price may begin on a date, and looking one up costs up to 0.4 ms.
    return _is_shipped_on(provider_type, base_url, model, at.replace(hour=0, minute=0, second=0, microsecond=0))


@lru_cache(maxsize=20_000)
def _is_shipped_on(provider_type: str, base_url: str, model: str, day: datetime) -> bool:
    cost = PriceBook().cost(provider_type=provider_type, base_url=base_url, model=model, usage=ONE_TOKEN, at=day)
    return cost.amount is not None
