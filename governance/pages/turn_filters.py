"""The filters that pages share: whose turn it was, which agent had it, which route answered, how it ended."""

from django import forms
from django.utils.translation import gettext_lazy

from governance.models import Turn
from governance.pages.filters import FilterForm, equals


class RouteFilters(FilterForm):
    """Whose turn, and who answered: what every page asks. ``user`` is a name, whatever it looks like."""

    user = forms.CharField(label=gettext_lazy("User"), required=False, max_length=150)
    user_id = forms.CharField(label=gettext_lazy("User id"), required=False, max_length=64)
    agent = forms.CharField(label=gettext_lazy("Agent"), required=False, max_length=64)
    provider = forms.CharField(label=gettext_lazy("Provider"), required=False, max_length=64)
    model = forms.CharField(label=gettext_lazy("Model"), required=False, max_length=200)

    conditions = {
        "user": equals("username"),
        "user_id": equals("user_id"),
        "agent": equals("agent"),
        "provider": equals("route_provider_id"),
        "model": equals("route_model"),
    }


class RecordFilters(RouteFilters):
    """What the lists of records also ask of a turn. A tool that it used is told by the audit."""

    tool = forms.CharField(label=gettext_lazy("Tool"), required=False, max_length=128)
    status = forms.ChoiceField(
        label=gettext_lazy("Status"), required=False, choices=[("", gettext_lazy("Any")), *Turn.Status.choices]
    )
    error_code = forms.CharField(label=gettext_lazy("Error code"), required=False, max_length=64)
    run_id = forms.UUIDField(label=gettext_lazy("Run"), required=False)
    conversation_id = forms.UUIDField(label=gettext_lazy("Conversation"), required=False)

    conditions = {
        **RouteFilters.conditions,
        **{name: equals(name) for name in ("status", "error_code", "run_id", "conversation_id")},
    }
