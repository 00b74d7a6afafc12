"""A text field with suggestions: what is on offer is one click, and anything else may be written."""

from collections.abc import Iterable
from typing import Any

from django import forms

from agentcore.models import Provider


class PickInput(forms.TextInput):
    """``picks`` are values, each with a word about it or an empty one."""

    template_name = "agentcore/admin/_pick.html"

    def __init__(self, picks: Iterable[tuple[str, str]]) -> None:
        super().__init__(attrs={"class": "vTextField"})
        self.picks = list(picks)

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        context = super().get_context(name, value, attrs)
        list_id = f"{context['widget']['attrs'].get('id', name)}-picks"
        context["widget"]["attrs"]["list"] = list_id
        return context | {"list_id": list_id, "picks": self.picks}


def picks_offer(field: forms.Field, picks: Iterable[tuple[str, str]]) -> None:
    """Let ``field`` offer ``picks``."""
    widget = PickInput(picks)
    widget.is_required = field.required
    widget.attrs |= field.widget_attrs(widget)
    field.widget = widget


def models_of(provider: Provider) -> list[tuple[str, str]]:
    """The models that the provider listed when it was asked last."""
    return [(str(entry["id"]), "") for entry in provider.models_found if entry.get("id")]


def models_of_all() -> list[tuple[str, str]]:
    """Those of every provider, with its name. 1 query."""
    providers = Provider.objects.order_by("slug")
    return [(model, provider.name) for provider in providers for model, _word in models_of(provider)]
