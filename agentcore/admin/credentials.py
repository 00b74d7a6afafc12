"""Credentials in the admin: a value goes in and never comes out again."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.decorators import method_decorator
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables

from agentcore.admin.refusals import ID_FAULT, as_form_errors
from agentcore.credentials import MAX_VALUE
from agentcore.models import Credential
from agentcore.services.credentials import (
    credential_declare,
    credential_state,
    credential_store,
    environment_name,
    value_check,
    value_warning,
)
from agentcore.services.discovery import discovery_with_key

# What the debug page and error mails leave out.
hides_values = method_decorator(sensitive_post_parameters("value"))
hides_variables = method_decorator(sensitive_variables())


def _value_field(*, required: bool, help_text: Any) -> forms.CharField:
    # Never rendered with a value: what was typed is typed again after an error.
    widget = forms.PasswordInput(attrs={"autocomplete": "off", "spellcheck": "false", "class": "vTextField"})
    return forms.CharField(
        label=gettext_lazy("Key"), required=required, max_length=MAX_VALUE, widget=widget, help_text=help_text
    )


class ValueForm(forms.Form):
    """A new value, for a credential that exists."""

    value = _value_field(required=True, help_text=gettext_lazy("It takes the place of the stored one at once."))

    @hides_variables
    def clean_value(self) -> str:
        value: str = self.cleaned_data["value"]
        with as_form_errors():
            value_check(value)
        return value


class CredentialForm(forms.ModelForm):
    """An id and a value, which may be empty where there is one: of the environment, or stored before."""

    value = _value_field(required=False, help_text=gettext_lazy("Stored encrypted and never shown again."))

    class Meta:
        model = Credential
        fields = ["slug"]
        help_texts = {"slug": gettext_lazy("A short name, often that of the provider. It cannot be changed later.")}
        error_messages = {"slug": {"invalid": ID_FAULT}}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not self.instance._state.adding and "value" in self.fields:
            self.fields["value"].help_text = _(
                "Stored encrypted and never shown again. Empty: what is there stays as it is."
            )

    @hides_variables
    def clean_value(self) -> str:
        value: str = self.cleaned_data["value"]
        if value:
            with as_form_errors():
                value_check(value)
        return value

    @hides_variables
    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        slug = cleaned.get("slug")
        if self.instance._state.adding and slug and cleaned.get("value") == "" and not _is_in_environment(slug):
            text = _("Enter the key, or set %(name)s in the environment.")
            self.add_error("value", text % {"name": environment_name(slug)})
        return cleaned


def _is_in_environment(slug: str) -> bool:
    return credential_state(Credential(slug=slug, token=b"")).is_usable


class CredentialAdmin(admin.ModelAdmin):
    """Values are written by ``services.credentials``; pages, messages and log entries hold none."""

    form = CredentialForm
    change_form_template = "agentcore/admin/credential_form.html"
    list_display = ["slug", "state", "shown_last_four", "shown_fingerprint", "used_by", "updated_at"]
    search_fields = ["slug"]
    readonly_fields = ["state", "shown_last_four", "shown_fingerprint", "used_by", "updated_at"]

    class Media:
        css = {"all": ["agentcore/admin.css"]}

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).prefetch_related("providers")

    def get_readonly_fields(self, request: HttpRequest, obj: Credential | None = None) -> list[str]:
        return [*self.readonly_fields, "slug"] if obj else [*self.readonly_fields]

    def get_fieldsets(self, request: HttpRequest, obj: Credential | None = None) -> Any:
        may_write = self.has_change_permission(request, obj) if obj else self.has_add_permission(request)
        fields = ["slug", "value"] if may_write else ["slug"]
        return [(None, {"fields": [*fields, *self.readonly_fields] if obj else fields})]

    @hides_values
    def changeform_view(
        self, request: HttpRequest, object_id: str | None = None, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        return super().changeform_view(request, object_id, form_url, extra_context)

    @hides_variables
    def save_model(self, request: HttpRequest, obj: Credential, form: Any, change: bool) -> None:
        value = form.cleaned_data.get("value")
        if value:
            self._store(request, obj.slug, value)
        else:
            credential_declare(obj.slug)
        obj.refresh_from_db()

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.replace_view)
        return [path("<path:object_id>/replace/", view, name="agentcore_credential_replace"), *super().get_urls()]

    @hides_values
    @hides_variables
    def replace_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """“Replace key”: a page with one field."""
        row = Credential.objects.filter(slug=unquote(object_id)).first()
        if not self.has_change_permission(request, row):
            raise PermissionDenied
        if row is None:
            raise Http404(_("There is no such credential."))
        form = ValueForm(request.POST or None)
        if form.is_valid():
            self._store(request, row.slug, form.cleaned_data["value"])
            self.log_change(request, row, _("Key replaced."))
            self.message_user(request, _("The key of “%(id)s” was replaced.") % {"id": row.slug}, messages.SUCCESS)
            return redirect(reverse("admin:agentcore_credential_change", args=[row.slug]))
        return TemplateResponse(request, "agentcore/admin/replace_key.html", self._page(request, row, form))

    @hides_variables
    def _store(self, request: HttpRequest, slug: str, value: str) -> None:
        credential_store(slug, value)
        discovery_with_key(slug)
        if warning := value_warning(value):
            self.message_user(request, warning, messages.WARNING)

    def _page(self, request: HttpRequest, row: Credential, form: ValueForm) -> dict[str, Any]:
        return {
            **self.admin_site.each_context(request),
            "title": _("Replace the key of “%(id)s”") % {"id": row.slug},
            "opts": self.opts,
            "original": row,
            "form": form,
            "media": self.media,
        }

    @admin.display(description=gettext_lazy("state"))
    def state(self, row: Credential) -> str:
        state = credential_state(row)
        look = "st-admin-ok" if state.is_usable else "st-admin-bad"
        label = format_html('<span class="{}">{}</span>', look, state.readability.label)
        if row.token:
            return label
        return format_html('{} <span class="st-admin-quiet">{}</span>', label, environment_name(row.slug))

    @admin.display(description=gettext_lazy("last four"))
    def shown_last_four(self, row: Credential) -> str:
        last_four = credential_state(row).last_four
        return f"…{last_four}" if last_four else "–"

    @admin.display(description=gettext_lazy("fingerprint"))
    def shown_fingerprint(self, row: Credential) -> str:
        return credential_state(row).fingerprint or "–"

    @admin.display(description=gettext_lazy("used by"))
    def used_by(self, row: Credential) -> str:
        return ", ".join(provider.name for provider in row.providers.all()) or "–"
