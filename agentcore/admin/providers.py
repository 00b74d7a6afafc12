"""Providers in the admin: filled in by a preset, tested by a button, and never left with a key of another host."""

from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.urls import URLPattern, path, reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy
from django.views.decorators.http import require_POST

from agentcore.admin.breakers import is_resting, route_rows
from agentcore.admin.profiles import ROWS, profile_lines
from agentcore.admin.provider_form import ProviderForm
from agentcore.admin.status import age_said, provider_status
from agentcore.advice import advice
from agentcore.chat import Route
from agentcore.errors import AgentError, Conflict
from agentcore.models import Provider
from agentcore.providers.presets import BY_SLUG, PRESETS
from agentcore.services.breakers import breaker_reset
from agentcore.services.credentials import credential_state
from agentcore.services.probes import models_refresh, providers_test
from agentcore.services.providers import agents_only_on, provider_save, providers_delete


def _profile_title(provider: Provider | None) -> str:
    """It says how much is corrected, since it begins closed."""
    count = len(provider.profile) if provider else 0
    if not count:
        return _("What its models can do")
    said = ngettext(
        "What its models can do: %(count)s correction", "What its models can do: %(count)s corrections", count
    )
    return said % {"count": count}


class ProviderAdmin(admin.ModelAdmin):
    """Every write goes through ``services.providers``."""

    form = ProviderForm
    change_form_template = "agentcore/admin/provider_form.html"
    list_display = ["name", "last_test", "default_model", "enabled", "kind", "key", "slug"]
    list_display_links = ["name", "slug"]
    list_select_related = ["credential"]
    search_fields = ["slug", "name", "base_url"]
    actions = ["test", "refresh"]
    readonly_fields = ["last_test", "models_known", "profile_known"]

    class Media:
        css = {"all": ["agentcore/admin.css"]}

    def get_readonly_fields(self, request: HttpRequest, obj: Provider | None = None) -> list[str]:
        """The id is fixed. A key may be sent to a host only by who may replace keys."""
        fields = [*self.readonly_fields]
        fields += ["slug"] if obj else []
        return fields if request.user.has_perm("agentcore.change_credential") else [*fields, "credential"]

    def get_fieldsets(self, request: HttpRequest, obj: Provider | None = None) -> Any:
        fields = ["name", "slug", "provider_type", "base_url", "credential", "default_model", "enabled"]
        may_write = self.has_change_permission(request, obj) if obj else True
        profile = {
            "fields": ROWS if may_write else ["profile_known"],
            "classes": ["collapse", "st-admin-profile"],
            "description": _(
                "The empty choice is what is known of the default model. Correct only what is wrong: a correction "
                "counts for every model of this provider."
            ),
        }
        found = [
            (None, {"fields": fields}),
            (_profile_title(obj), profile),
            (_("More"), {"fields": ["timeout_s", "options"]}),
        ]
        return [*found, (_("What was found"), {"fields": ["last_test", "models_known"]})] if obj else found

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        preset = BY_SLUG.get(request.GET.get("preset", ""))
        return preset.initial() if preset else {}

    def changeform_view(
        self, request: HttpRequest, object_id: str | None = None, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        more: dict[str, Any] = {"presets": PRESETS, "preset": BY_SLUG.get(request.GET.get("preset", ""))}
        if object_id and (provider := self.get_object(request, unquote(object_id))):
            more["routes"] = route_rows(provider)
        try:
            return super().changeform_view(request, object_id, form_url, more | (extra_context or {}))
        except Conflict as error:
            self.message_user(request, error.message, messages.ERROR)
            return redirect("admin:agentcore_provider_changelist")

    def save_model(self, request: HttpRequest, obj: Provider, form: Any, change: bool) -> None:
        if provider_save(obj):
            self.message_user(
                request,
                _("The host was changed, so the credential was taken off: its key belongs to the old host."),
                messages.WARNING,
            )

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Only an agent that has no other route protects a provider; else its routes go with it."""
        deleted, counts, denied, _protected = super().get_deleted_objects(objs, request)
        stranded = [
            _("%(agent)s has no other route") % {"agent": agent.name}
            for agent in agents_only_on([provider.slug for provider in objs])
        ]
        return deleted, counts, denied, stranded

    def delete_model(self, request: HttpRequest, obj: Provider) -> None:
        providers_delete([obj.slug])

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Provider]) -> None:
        providers_delete([provider.slug for provider in queryset])

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        try:
            return super().delete_view(request, object_id, extra_context)
        except Conflict as error:
            self.message_user(request, error.message, messages.ERROR)
            return redirect("admin:agentcore_provider_changelist")

    def get_urls(self) -> list[URLPattern]:
        ask, reset = (self.admin_site.admin_view(require_POST(view)) for view in (self.ask_view, self.reset_view))
        own = [
            path("<path:object_id>/ask/", ask, name="agentcore_provider_ask"),
            path("<path:object_id>/reset/", reset, name="agentcore_provider_reset"),
        ]
        return [*own, *super().get_urls()]

    def reset_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """The button beside a route that failed."""
        provider = self.get_object(request, unquote(object_id))
        if not self.has_change_permission(request, provider):
            raise PermissionDenied
        model = request.POST.get("model", "")
        if provider is None or model not in {row.model for row in route_rows(provider)}:
            raise Http404(_("There is no such route."))
        breaker_reset(Route(provider.slug, model))
        self.log_change(request, provider, _("What was known against %(model)s was forgotten.") % {"model": model})
        said = _("The next call may ask %(model)s again.") % {"model": model}
        self.message_user(request, said, messages.SUCCESS)
        return redirect(reverse("admin:agentcore_provider_change", args=[provider.slug]))

    def ask_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """The buttons on a provider's own page."""
        if not self.has_change_permission(request):
            raise PermissionDenied
        slug = unquote(object_id)
        queryset = Provider.objects.filter(slug=slug)
        (self.refresh if "refresh" in request.POST else self.test)(request, queryset)
        return redirect(reverse("admin:agentcore_provider_change", args=[slug]))

    @admin.action(description=gettext_lazy("Test the selected providers"), permissions=["change"])
    def test(self, request: HttpRequest, queryset: QuerySet[Provider]) -> None:
        names = {provider.slug: provider.name for provider in queryset}
        for slug, outcome in providers_test(names).items():
            # The admin begins each message with a capital, which a name need not have: so none begins with one.
            if outcome.error:
                self._failed(request, names[slug], outcome.error)
                continue
            said = _("The provider %(provider)s answers (%(ms)s ms).") % {
                "provider": names[slug],
                "ms": outcome.duration_ms,
            }
            self.message_user(request, said, messages.SUCCESS)

    @admin.action(description=gettext_lazy("Refresh the models of the selected providers"), permissions=["change"])
    def refresh(self, request: HttpRequest, queryset: QuerySet[Provider]) -> None:
        names = {provider.slug: provider.name for provider in queryset}
        for slug, outcome in models_refresh(names).items():
            if isinstance(outcome, AgentError):
                self._failed(request, names[slug], outcome)
                continue
            said = ngettext(
                "The provider %(provider)s has %(count)s model.",
                "The provider %(provider)s has %(count)s models.",
                outcome,
            )
            self.message_user(request, said % {"provider": names[slug], "count": outcome}, messages.SUCCESS)

    def _failed(self, request: HttpRequest, name: str, error: AgentError) -> None:
        said = _("The provider %(provider)s: %(problem)s %(advice)s (%(code)s)") % {
            "provider": name,
            "problem": error.message,
            "advice": advice(error.code),
            "code": error.code,
        }
        self.message_user(request, said, messages.ERROR)

    @admin.display(description=gettext_lazy("type"), ordering="provider_type")
    def kind(self, provider: Provider) -> str:
        return provider.get_provider_type_display()

    @admin.display(description=pgettext_lazy("of a provider", "key"))
    def key(self, provider: Provider) -> str:
        if provider.credential is None:
            return _("none")
        return f"{provider.credential_id}: {credential_state(provider.credential).readability.label}"

    @admin.display(description=gettext_lazy("last test"))
    def last_test(self, provider: Provider) -> SafeString:
        status = provider_status(provider.status)
        context = {"status": status, "is_resting": is_resting(provider)}
        return render_to_string("agentcore/admin/_status.html", context)

    @admin.display(description=gettext_lazy("profile"))
    def profile_known(self, provider: Provider) -> SafeString:
        return render_to_string("agentcore/admin/_profile.html", {"lines": profile_lines(provider)})

    @admin.display(description=gettext_lazy("models found"))
    def models_known(self, provider: Provider) -> SafeString:
        names = [entry.get("id", "") for entry in provider.models_found]
        discovery = provider_status(provider.status.get("discovery") or {})
        at = provider.models_found_at
        context = {"names": names, "age": age_said(at) if at else None, "discovery": discovery}
        return render_to_string("agentcore/admin/_models.html", context)
