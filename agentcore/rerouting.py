"""A change of route in words, for a reader of the answer: the browser fills them in itself, a terminal asks here."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _


def route_texts() -> dict[str, str]:
    """The sentences by key, in the active language: the causes by error code, then what becomes of the answer.

    ``{model}`` is the model that failed in a cause, and the one that goes on elsewhere.
    """
    return {
        "PROVIDER_CREDENTIAL_MISSING": _("No key is set for {model}."),
        "PROVIDER_AUTH_FAILED": _("The key for {model} was refused."),
        "PROVIDER_RATE_LIMITED": _("{model} is too busy right now."),
        "PROVIDER_QUOTA_EXCEEDED": _("The quota for {model} is used up."),
        "PROVIDER_TIMEOUT": _("{model} took too long."),
        "PROVIDER_UNAVAILABLE": _("{model} cannot be reached."),
        "PROVIDER_BAD_RESPONSE": _("{model} gave no complete answer."),
        "PROVIDER_URL_FORBIDDEN": _("The address of {model} is not allowed."),
        "MODEL_NOT_FOUND": _("{model} is unknown to its provider."),
        "CAPABILITY_MISSING": _("{model} cannot do what this request needs."),
        "other": _("{model} did not answer."),
        "lacks_tools": _("{model} cannot use tools."),
        "lacks_images": _("{model} cannot see pictures."),
        "next": _("{model} takes over."),
        "next_anew": _("{model} starts the answer anew."),
        "anew": _("The answer starts anew."),
        "without_tools": _("This model cannot use tools: it answers from what it knows."),
        "without_images": _("Pictures that this model cannot see were left out."),
    }


def rerouted(data: Mapping[str, Any]) -> str:
    """The data of a ``RouteChanged`` in words."""
    texts = route_texts()
    source, target = _name(data["from"]), _name(data["to"])
    less = [texts[f"without_{what}"] for what in data["omitted"]]
    is_same, is_anew = source == target, bool(data["discard"])
    if is_same and not is_anew:
        return " ".join(less)
    goes_on = "anew" if is_same else "next_anew" if is_anew else "next"
    cause = texts.get(data["reason"], texts["other"])
    return " ".join([cause.format(model=source), texts[goes_on].format(model=target), *less])


def _name(route: Mapping[str, str]) -> str:
    return f"{route['provider_id']}/{route['model']}"
