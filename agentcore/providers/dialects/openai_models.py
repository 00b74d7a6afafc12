"""The list of models of an OpenAI-compatible server.

Source: https://platform.openai.com/docs/api-reference/models/list
"""

from typing import Any

from django.utils.translation import gettext as _

from agentcore.errors import ProviderBadResponse
from agentcore.providers.dialects import ModelListed
from agentcore.text import clean_text

MAX_MODELS, MAX_ID = 2000, 200
# What servers call the size of the context, the one that is in force before the one that is possible.
_WINDOWS = (
    *("context_window", "context_length", "max_model_len", "max_context_length", "max_input_tokens"),
    *("n_ctx", "n_ctx_train"),
)


def models(payload: Any) -> list[ModelListed]:
    """The models of ``payload``, sorted, each once; what is no model in it is left out.

    Raises:
        ProviderBadResponse: it is no list of models.
    """
    entries = payload.get("data") if isinstance(payload, dict) else payload
    if not isinstance(entries, list):
        raise ProviderBadResponse(_("The provider answers, but not with a list of models."))
    found = {entry.id: entry for entry in map(_model, entries[:MAX_MODELS]) if entry is not None}
    return [found[name] for name in sorted(found)]


def _model(entry: Any) -> ModelListed | None:
    name = entry.get("id") if isinstance(entry, dict) else None
    if not isinstance(name, str) or not name.strip() or len(name) > MAX_ID:
        return None
    shown = entry.get("name") or entry.get("display_name")
    return ModelListed(
        id=clean_text(name),
        name=clean_text(shown)[:MAX_ID] if isinstance(shown, str) else clean_text(name),
        context_window=_window(entry),
    )


def _window(entry: dict[str, Any]) -> int | None:
    meta = entry.get("meta")
    places = [entry, meta if isinstance(meta, dict) else {}]
    sizes = (place.get(name) for name in _WINDOWS for place in places)
    return next((size for size in sizes if isinstance(size, int) and not isinstance(size, bool) and size > 0), None)
