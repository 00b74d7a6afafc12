"""The form of a provider: checks what can be checked without asking anybody."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from agentcore.admin.picks import models_of, picks_offer
from agentcore.admin.profiles import ProfileForm
from agentcore.admin.refusals import ID_FAULT, as_form_errors
from agentcore.models import Provider
from agentcore.services.providers import base_url_check, id_check, options_check, timeout_check


class ProviderForm(ProfileForm):
    """The fields of the row; those of its models' profile are inherited."""

    class Meta:
        model = Provider
        fields = [
            "name",
            "slug",
            "provider_type",
            "base_url",
            "credential",
            "default_model",
            "enabled",
            "timeout_s",
            "options",
        ]
        widgets = {
            "base_url": forms.TextInput(attrs={"class": "vLargeTextField"}),
            "options": forms.Textarea(attrs={"class": "vLargeTextField", "rows": 3}),
        }
        help_texts = {
            "slug": gettext_lazy("A short name for addresses, settings and records. It cannot be changed later."),
            "base_url": gettext_lazy(
                "Where the interface begins, often ending in /v1. Leave it empty for the provider's own. Another host "
                "takes the credential off."
            ),
            "credential": gettext_lazy("Leave it empty for a server that needs no key."),
            "default_model": gettext_lazy(
                "Asked where a route or a person names no other. The list has what the provider named when it was "
                "tested or refreshed last."
            ),
            "timeout_s": gettext_lazy("For a whole call. Leave it empty for the site's own limits."),
            "options": gettext_lazy('A JSON object. "body" is laid over each request.'),
        }
        error_messages = {"slug": {"invalid": ID_FAULT}}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "default_model" in self.fields:
            picks_offer(self.fields["default_model"], models_of(self.instance))

    def clean_slug(self) -> str:
        slug: str = self.cleaned_data["slug"]
        with as_form_errors():
            id_check(slug)
        return slug

    def clean_timeout_s(self) -> float | None:
        timeout_s: float | None = self.cleaned_data["timeout_s"]
        with as_form_errors():
            timeout_check(timeout_s)
        return timeout_s

    def clean_options(self) -> dict[str, Any]:
        options: dict[str, Any] = self.cleaned_data["options"] or {}
        with as_form_errors():
            options_check(options)
        return options

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if "base_url" in cleaned and "provider_type" in cleaned:
            with as_form_errors("base_url"):
                base_url_check(cleaned["base_url"], provider_type=cleaned["provider_type"])
        return cleaned
