"""Agents in the admin: what they are told, which routes answer, and what they may do."""

from functools import partial
from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.urls import URLPattern, path
from django.utils.translation import get_language, gettext_lazy, ngettext
from django.utils.translation import gettext as _

from agentcore.admin.cells import NumberCell, cells_name
from agentcore.admin.dry_run import dry_run
from agentcore.admin.picks import models_of_all, picks_offer
from agentcore.admin.refusals import ID_FAULT, as_form_errors
from agentcore.errors import ValidationFailed
from agentcore.models import AgentProfile, AgentRoute
from agentcore.services.agents import LIMITS, limits_check, site_limit, suggestions_check, tools_known

# The most that the field holds on every database.
LAST_POSITION = 32767


def _limit(name: str, label: Any) -> forms.Field:
    kind = forms.IntegerField if LIMITS[name][1] else forms.FloatField
    return kind(label=label, required=False)


def _site_says(name: str) -> str:
    most = site_limit(name)
    return _("The site sets no limit.") if most is None else _("The site allows %(most)s.") % {"most": f"{most:g}"}


class LinesField(forms.CharField):
    """A list of texts, one a line."""

    widget = forms.Textarea(attrs={"rows": 4, "class": "vLargeTextField"})

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(map(str, value)) if isinstance(value, list) else value

    def to_python(self, value: Any) -> Any:
        return suggestions_check((super().to_python(value) or "").splitlines())

    def clean(self, value: Any) -> Any:
        with as_form_errors():
            return super().clean(value)

    def has_changed(self, initial: Any, data: Any) -> bool:
        return (initial or []) != [line.strip() for line in (data or "").splitlines() if line.strip()]


class AgentForm(forms.ModelForm):
    """Limits as a field each, tools as boxes. ``tools_on_offer`` is set by the admin class, for each request."""

    tools_on_offer: list[tuple[str, str]] = []

    every_tool = forms.BooleanField(
        label=gettext_lazy("Every tool"),
        required=False,
        help_text=gettext_lazy("Also those that are added later. What a person may not call, the agent never calls."),
    )
    chosen_tools = forms.MultipleChoiceField(
        label=gettext_lazy("Only these tools"), required=False, widget=forms.CheckboxSelectMultiple
    )
    limit_max_tool_loops = _limit("max_tool_loops", gettext_lazy("Rounds of tool calls"))
    limit_max_steps = _limit("max_steps", gettext_lazy("Model calls"))
    limit_timeout_s = _limit("timeout_s", gettext_lazy("Seconds of work"))
    limit_max_output_tokens = _limit("max_output_tokens", gettext_lazy("Output tokens of a call"))
    limit_token_budget = _limit("token_budget", gettext_lazy("Tokens of a run"))
    suggestions = LinesField(
        label=gettext_lazy("Suggestions"),
        required=False,
        help_text=gettext_lazy(
            "One a line: what an empty conversation offers to ask. “Label | text” shows one, sends the other."
        ),
    )

    class Meta:
        model = AgentProfile
        fields = ["name", "slug", "description", "enabled", "instructions", "suggestions", "fallback_after_text"]
        widgets = {
            "description": forms.TextInput(attrs={"class": "vLargeTextField"}),
            "fallback_after_text": forms.RadioSelect,
        }
        help_texts = {
            "slug": gettext_lazy("A short name for addresses, settings and records. It cannot be changed later."),
            "instructions": gettext_lazy("What the model is told before each conversation. People do not see it."),
            "fallback_after_text": gettext_lazy(
                "Before any of its text was shown, the next route is asked by itself. Afterwards people have begun to "
                "read: they keep the text and can ask the next route with one click, or see it taken back and written "
                "anew. What tools did is not done again."
            ),
        }
        error_messages = {"slug": {"invalid": ID_FAULT}}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        stored = self.instance.tools
        gone = [(name, _("%(tool)s (not here now)") % {"tool": name}) for name in self._unknown(stored or [])]
        if "chosen_tools" in self.fields:
            self.fields["chosen_tools"].choices = [*self.tools_on_offer, *gone]  # type: ignore[attr-defined]
            self.initial.update({"every_tool": stored is None, "chosen_tools": stored or []})
        for name in self._limit_names():
            self.initial[f"limit_{name}"] = self.instance.limits.get(name)
            self.fields[f"limit_{name}"].help_text = _site_says(name)

    def _unknown(self, stored: list[str]) -> list[str]:
        offered = {name for name, _label in self.tools_on_offer}
        return [name for name in stored if name not in offered]

    def _limit_names(self) -> list[str]:
        return [name for name in LIMITS if f"limit_{name}" in self.fields]

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        limits = {name: cleaned[f"limit_{name}"] for name in self._limit_names() if f"limit_{name}" in cleaned}
        try:
            self.instance.limits = limits_check(limits)
        except ValidationFailed as error:
            for problem in error.details:
                self.add_error(f"limit_{problem['path']}", problem["problem"])
        if "chosen_tools" in cleaned:
            self.instance.tools = None if cleaned.get("every_tool") else sorted(cleaned["chosen_tools"])
        return cleaned


class RouteForm(forms.ModelForm):
    """A route needs a model: its own, or its provider's default."""

    models_on_offer: ClassVar[list[tuple[str, str]]] = []

    class Meta:
        model = AgentRoute
        fields = ["position", "provider", "model"]
        widgets = {"position": NumberCell(attrs={"class": "vIntegerField"})}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "model" in self.fields:
            picks_offer(self.fields["model"], self.models_on_offer)
        cells_name(self.fields, "position", "model")

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        provider = cleaned.get("provider")
        if provider and not cleaned.get("model") and not provider.default_model:
            self.add_error("model", _("This provider has no default model, so the route needs one."))
        return cleaned


class RouteFormSet(forms.BaseInlineFormSet):
    """A new route comes last, unless somebody says where."""

    def _last(self) -> int:
        positions = AgentRoute.objects.filter(agent=self.instance.pk).values_list("position", flat=True)
        return min(max(positions, default=-1) + 1, LAST_POSITION)

    def add_fields(self, form: Any, index: int | None) -> None:
        super().add_fields(form, index)
        if not form.instance.pk:
            form.initial["position"] = self._last()

    def save_new(self, form: Any, commit: bool = True) -> Any:
        if "position" not in form.changed_data:
            form.instance.position = self._last()
        return super().save_new(form, commit=commit)


class RouteInline(admin.TabularInline):
    model = AgentRoute
    form = RouteForm
    formset = RouteFormSet
    classes = ["st-admin-cells"]
    fields = ["position", "provider", "model"]
    # A place for one more, since without JavaScript there is no button that adds one.
    extra = 1
    verbose_name_plural = gettext_lazy("Routes: the lowest position is asked first")

    def get_formset(self, request: HttpRequest, obj: Any = None, **kwargs: Any) -> Any:
        formset = super().get_formset(request, obj, **kwargs)
        formset.form.models_on_offer = models_of_all()  # type: ignore[attr-defined]
        return formset


class AgentProfileAdmin(admin.ModelAdmin):
    form = AgentForm
    change_form_template = "agentcore/admin/agent_form.html"
    inlines = [RouteInline]
    list_display = ["name", "slug", "enabled", "routes_in_order", "tools_allowed", "updated_at"]
    list_display_links = ["name", "slug"]
    list_filter = ["enabled"]
    search_fields = ["slug", "name"]

    class Media:
        css = {"all": ["agentcore/admin.css"]}

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).prefetch_related("routes__provider")

    def get_readonly_fields(self, request: HttpRequest, obj: AgentProfile | None = None) -> list[str]:
        return ["slug"] if obj else []

    def get_fieldsets(self, request: HttpRequest, obj: AgentProfile | None = None) -> Any:
        plain = ["name", "slug", "description", "enabled", "instructions", "suggestions"]
        if obj and not self.has_change_permission(request, obj):
            return [(None, {"fields": [*plain, "tools", "limits", "fallback_after_text"]})]
        return [
            (None, {"fields": plain}),
            (_("Tools"), {"fields": ["every_tool", "chosen_tools"]}),
            (
                _("Limits"),
                {
                    "fields": [f"limit_{name}" for name in LIMITS],
                    "description": _("Each may lower the site's own limit. Leave it empty for the site's."),
                },
            ),
            (_("Fallback"), {"fields": ["fallback_after_text"]}),
        ]

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        form = super().get_form(request, obj, change, **kwargs)
        tools = tools_known(request.user, locale=get_language() or "en")
        form.tools_on_offer = [(tool.name, tool.name) for tool in tools]  # type: ignore[attr-defined]
        return form

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(partial(dry_run, site=self.admin_site))
        return [path("dry-run/", view, name="agentcore_agentprofile_dry_run"), *super().get_urls()]

    @admin.display(description=gettext_lazy("routes"))
    def routes_in_order(self, agent: AgentProfile) -> str:
        return ", ".join(map(str, agent.routes.all())) or _("none")

    @admin.display(description=gettext_lazy("tools"))
    def tools_allowed(self, agent: AgentProfile) -> str:
        if agent.tools is None:
            return _("every tool")
        return ngettext("%(count)s tool", "%(count)s tools", len(agent.tools)) % {"count": len(agent.tools)}
