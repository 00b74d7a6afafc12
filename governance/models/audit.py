"""The audit: what happened in a turn, in order, with masked payloads."""

from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.utils.translation import gettext_lazy as _


class AuditEvent(models.Model):
    """One happening. ``seq`` counts inside the turn; ``key`` says which happening it is, so that it is kept once."""

    class Action(models.TextChoices):
        REQUEST = "request", _("request")
        TOOL_CALL = "tool_call", _("tool call")
        TOOL_RESULT = "tool_result", _("tool result")
        GUARDRAIL = "guardrail", _("guardrail")
        APPROVAL = "approval", _("approval")
        STOP = "stop", _("stop")
        ERROR = "error", _("error")

    id = models.BigAutoField(primary_key=True)
    run_id = models.UUIDField(_("run"))
    seq = models.PositiveIntegerField(_("number"))
    key = models.CharField(max_length=255, editable=False)
    action = models.CharField(_("action"), max_length=16, choices=Action.choices)
    at = models.DateTimeField(_("time"))
    actor = models.CharField(_("actor"), max_length=150, blank=True)
    # Of a call, its result and its approval: the payload's own word, to be found by.
    tool = models.CharField(_("tool"), max_length=128, blank=True)
    payload = models.JSONField(_("masked payload"), default=dict, encoder=DjangoJSONEncoder)

    class Meta:
        verbose_name = _("audit event")
        verbose_name_plural = _("audit events")
        ordering = ["run_id", "seq"]
        default_permissions = ("view",)
        constraints = [
            models.UniqueConstraint(fields=["run_id", "seq"], name="audit_event_seq_once"),
            models.UniqueConstraint(fields=["run_id", "key"], name="audit_event_key_once"),
        ]
        indexes = [
            # The replay's order: run ids begin with their time, so this is the newest turn first, then its story.
            models.Index(fields=["-run_id", "seq"], name="audit_event_by_turn"),
            models.Index(fields=["action", "-run_id", "seq"], name="audit_event_by_action"),
            models.Index(fields=["actor", "-run_id", "seq"], name="audit_event_by_actor"),
            models.Index(fields=["tool", "-run_id", "seq"], name="audit_event_by_tool"),
        ]

    def __str__(self) -> str:
        return f"{self.run_id}#{self.seq} {self.action}"
