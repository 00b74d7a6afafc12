"""The dry run: what would answer an agent's next call, and why the other routes would not. It asks nobody."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agentcore.admin.picks import models_of_all, picks_offer
from agentcore.models import AgentProfile, Provider
from agentcore.pages import Link, link
from agentcore.providers.degrading import IMAGES, TOOLS
from agentcore.services.choice import Considered, Verdict, Wanted, choice_explained

WITH, WITHOUT = "with", "without"
# How each verdict is said, and its colour.
VERDICTS: dict[Verdict, tuple[Any, str]] = {
    Verdict.ANSWERS: (gettext_lazy("answers"), "ok"),
    Verdict.NEXT: (gettext_lazy("would be next"), "quiet"),
    Verdict.RESTS: (gettext_lazy("rests"), "bad"),
    Verdict.SKIPPED: (gettext_lazy("left out"), "quiet"),
    Verdict.FAILS: (gettext_lazy("would fail"), "bad"),
    Verdict.DISABLED: (gettext_lazy("switched off"), "quiet"),
}
OMISSIONS = {TOOLS: gettext_lazy("It is sent without tools."), IMAGES: gettext_lazy("It is sent without pictures.")}


class DryRunForm(forms.Form):
    """A call that is thought of. Its fields are those of the address, so that a dry run can be kept as a link."""

    agent = forms.ChoiceField(label=gettext_lazy("Agent"))
    provider = forms.ChoiceField(
        label=gettext_lazy("A person chose the provider"),
        required=False,
        help_text=gettext_lazy("In the model bar, which goes before the agent's own routes."),
    )
    model = forms.CharField(
        label=gettext_lazy("A person chose the model"),
        required=False,
        help_text=gettext_lazy("Empty: the provider's default."),
    )
    tools = forms.ChoiceField(
        label=gettext_lazy("Tools"),
        choices=[(WITH, gettext_lazy("with tools")), (WITHOUT, gettext_lazy("without tools"))],
    )
    picture = forms.ChoiceField(
        label=gettext_lazy("A picture"),
        choices=[(WITHOUT, gettext_lazy("without a picture")), (WITH, gettext_lazy("with a picture"))],
    )

    def __init__(self, data: dict[str, Any], *, agents: Sequence[AgentProfile]) -> None:
        first = {"agent": agents[0].slug} if agents else {}
        super().__init__({**first, "tools": WITH, "picture": WITHOUT, **data})
        self.fields["agent"].choices = [(agent.slug, agent.name) for agent in agents]  # type: ignore[attr-defined]
        providers = [(provider.slug, provider.name) for provider in Provider.objects.all()]
        self.fields["provider"].choices = [("", _("nobody chose")), *providers]  # type: ignore[attr-defined]
        picks_offer(self.fields["model"], models_of_all())

    def wanted(self) -> Wanted:
        cleaned = self.cleaned_data
        return Wanted(
            provider_id=cleaned["provider"],
            model=cleaned["model"],
            with_tools=cleaned["tools"] == WITH,
            with_picture=cleaned["picture"] == WITH,
        )


def may_dry_run(user: Any) -> bool:
    """It names agents, providers and their models."""
    return bool(user.has_perms(["agentcore.view_agentprofile", "agentcore.view_provider"]))


def dry_run_links(user: Any) -> list[Link]:
    """The page, for who may open it."""
    found = link(_("What would answer?"), "admin:agentcore_agentprofile_dry_run") if may_dry_run(user) else None
    return [found] if found else []


def dry_run(request: HttpRequest, site: admin.AdminSite) -> HttpResponse:
    """The page; what is asked for is in the address. 5 queries at most, and no provider."""
    if not may_dry_run(request.user):
        raise PermissionDenied
    agents = list(AgentProfile.objects.all())
    form = DryRunForm(request.GET.dict(), agents=agents)
    agent = _agent_of(form, agents)
    context = {
        **site.each_context(request),
        "title": _("What would answer now, and why?"),
        "opts": AgentProfile._meta,
        "form": form,
        "agent": agent,
        "routes": [_said(each) for each in choice_explained(agent, form.wanted())] if agent else [],
    }
    return TemplateResponse(request, "agentcore/admin/dry_run.html", context)


def _agent_of(form: DryRunForm, agents: Sequence[AgentProfile]) -> AgentProfile | None:
    slug = form.cleaned_data["agent"] if form.is_valid() else None
    return next((agent for agent in agents if agent.slug == slug), None)


def _said(each: Considered) -> dict[str, Any]:
    """``{route, provider, verdict, tone, reason, omitted}``, in words."""
    verdict, tone = VERDICTS[each.verdict]
    omitted = [OMISSIONS[need] for need in each.omitted if need in OMISSIONS]
    return {
        "route": each.route,
        "provider": each.provider,
        "verdict": verdict,
        "tone": tone,
        "reason": each.reason,
        "omitted": omitted,
    }
