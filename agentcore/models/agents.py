"""Agent profiles: an agent as an admin sets it up."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from agentcore.models.providers import Provider


class AgentProfile(models.Model):
    """What an agent is called, told and allowed, and which routes answer for it."""

    class AfterText(models.TextChoices):
        """What becomes of a step whose route fails after some of its text was shown."""

        FAIL = "fail", _("Keep the text and say what went wrong")
        RESTART = "restart", _("Take the text back and start again on the next route")

    slug = models.SlugField(_("agent id"), primary_key=True, max_length=64)
    name = models.CharField(_("name"), max_length=100)
    description = models.CharField(_("description"), max_length=300, blank=True)
    instructions = models.TextField(_("instructions"), blank=True)
    enabled = models.BooleanField(_("enabled"), default=True)
    # None: every tool that is not hidden. A list narrows it, an empty one means none.
    tools = models.JSONField(_("tools"), null=True, blank=True)
    limits = models.JSONField(_("limits"), default=dict, blank=True)
    fallback_after_text = models.CharField(
        _("when a route fails in mid-answer"), max_length=16, choices=AfterText.choices, default=AfterText.FAIL
    )
    suggestions = models.JSONField(_("suggestions"), default=list, blank=True)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    updated_at = models.DateTimeField(_("updated"), auto_now=True)

    class Meta:
        verbose_name = _("agent")
        verbose_name_plural = _("agents")
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.name


class AgentRoute(models.Model):
    """One route of an agent: the lowest position is asked first."""

    agent = models.ForeignKey(AgentProfile, verbose_name=_("agent"), on_delete=models.CASCADE, related_name="routes")
    position = models.PositiveSmallIntegerField(_("position"), default=0)
    provider = models.ForeignKey(Provider, verbose_name=_("provider"), on_delete=models.PROTECT, related_name="routes")
    # Empty: the provider's default model.
    model = models.CharField(_("model"), max_length=200, blank=True)

    class Meta:
        verbose_name = _("route")
        verbose_name_plural = _("routes")
        ordering = ["position", "pk"]

    def __str__(self) -> str:
        return f"{self.provider_id}/{self.model or self.provider.default_model}"
