"""Context windows that ``genai-prices`` ships with its prices. Source: https://github.com/pydantic/genai-prices"""

from genai_prices.data_snapshot import get_snapshot

from agentcore.providers.places import Place

_IDS = {
    Place.OPENAI: "openai",
    Place.ANTHROPIC: "anthropic",
    Place.GOOGLE: "google",
    Place.DEEPSEEK: "deepseek",
    Place.MOONSHOT: "moonshotai",
    Place.ZHIPU: "zhipuai",
    Place.MISTRAL: "mistral",
    Place.GROQ: "groq",
    Place.OPENROUTER: "openrouter",
}


def window_of(model: str, place: Place) -> int | None:
    """The tokens that a model takes, None when nobody says."""
    if place not in _IDS:
        return None
    try:
        _provider, found = get_snapshot().find_provider_model(model, None, _IDS[place], None)
    except LookupError:
        return None
    return found.context_window
