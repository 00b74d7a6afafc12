"""The ledger: one turn a run, one model call an attempt."""

from django.db import models
from django.db.models.functions import Coalesce, NullIf
from django.utils.translation import gettext_lazy as _


class Metered(models.Model):
    """What was used and what it cost. The token buckets are inclusive; an unknown cost is null, never zero."""

    input_tokens = models.PositiveBigIntegerField(_("input tokens"), default=0)
    output_tokens = models.PositiveBigIntegerField(_("output tokens"), default=0)
    cached_input_tokens = models.PositiveBigIntegerField(_("cached input tokens"), default=0)
    cache_write_tokens = models.PositiveBigIntegerField(_("cache write tokens"), default=0)
    reasoning_tokens = models.PositiveBigIntegerField(_("reasoning tokens"), default=0)
    usage_estimated = models.BooleanField(_("usage estimated"), default=False)
    cost = models.DecimalField(_("cost"), max_digits=20, decimal_places=10, null=True)
    currency = models.CharField(_("currency"), max_length=3, default="USD")

    class Meta:
        abstract = True


def _answered_or_asked(field: str, max_length: int) -> models.GeneratedField:
    """The route that answered; of a turn that nobody answered, the one that was asked. Computed by the database."""
    expression = Coalesce(NullIf(models.F(field), models.Value("")), models.F(f"requested_{field}"))
    kind = models.CharField(max_length=max_length)
    return models.GeneratedField(expression=expression, output_field=kind, db_persist=True)


class Turn(Metered):
    """A run as the ledger knows it: who, what for, which route, how it ended, what it used. No text of it."""

    class Status(models.TextChoices):
        RUNNING = "running", _("running")
        COMPLETED = "completed", _("completed")
        FAILED = "failed", _("failed")
        CANCELLED = "cancelled", _("cancelled")

    run_id = models.UUIDField(_("run"), primary_key=True, editable=False)
    # The site's own user, as text and without a foreign key: the record outlives the account.
    user_id = models.CharField(_("user id"), max_length=64, blank=True)
    username = models.CharField(_("user"), max_length=150, blank=True)
    tenant = models.CharField(_("tenant"), max_length=100, blank=True)
    agent = models.CharField(_("agent"), max_length=64, blank=True)
    conversation_id = models.UUIDField(_("conversation"), null=True)
    purpose = models.CharField(_("purpose"), max_length=32, blank=True)
    requested_provider_id = models.CharField(_("requested provider"), max_length=64, blank=True)
    requested_model = models.CharField(_("requested model"), max_length=200, blank=True)
    provider_id = models.CharField(_("provider"), max_length=64, blank=True)
    model = models.CharField(_("model"), max_length=200, blank=True)
    # What a filter asks for and a roll-up groups by: one plain column, so that an index serves it.
    route_provider_id = _answered_or_asked("provider_id", 64)
    route_model = _answered_or_asked("model", 200)
    status = models.CharField(_("status"), max_length=16, choices=Status.choices, default=Status.RUNNING)
    finish_reason = models.CharField(_("finish reason"), max_length=16, blank=True)
    cancel_reason = models.CharField(_("cancel reason"), max_length=16, blank=True)
    error_code = models.CharField(_("error code"), max_length=64, blank=True)
    model_calls = models.PositiveIntegerField(_("model calls"), default=0)
    tool_calls = models.PositiveIntegerField(_("tool calls"), default=0)
    started_at = models.DateTimeField(_("started"))
    finished_at = models.DateTimeField(_("finished"), null=True)
    duration_ms = models.PositiveBigIntegerField(_("duration (ms)"), null=True)
    # The next number of this turn's audit; 0 is the request's own, so a plain turn opens without a second write.
    audit_seq = models.PositiveIntegerField(default=1, editable=False)

    class Meta:
        verbose_name = _("turn")
        verbose_name_plural = _("turns")
        ordering = ["-started_at", "-run_id"]
        default_permissions = ("view",)
        permissions = [
            ("view_cost", _("Can view what was spent")),
            ("export", _("Can export records")),
            ("decide_approval", _("Can decide approvals in the inbox")),
            ("reveal_content", _("Can reveal the text of other people's turns, with a recorded reason")),
        ]
        indexes = [
            models.Index(fields=["started_at", "run_id"], name="turn_by_time"),
            models.Index(fields=["username", "started_at", "run_id"], name="turn_by_user"),
            models.Index(fields=["user_id", "started_at", "run_id"], name="turn_by_user_id"),
            models.Index(fields=["agent", "started_at", "run_id"], name="turn_by_agent"),
            models.Index(fields=["route_provider_id", "started_at", "run_id"], name="turn_by_provider"),
            models.Index(fields=["route_model", "started_at", "run_id"], name="turn_by_model"),
            models.Index(fields=["status", "started_at", "run_id"], name="turn_by_status"),
            models.Index(fields=["error_code", "started_at", "run_id"], name="turn_by_error"),
            models.Index(fields=["conversation_id", "started_at", "run_id"], name="turn_by_conversation"),
        ]

    def __str__(self) -> str:
        return str(self.run_id)

    @property
    def is_open(self) -> bool:
        return self.status == self.Status.RUNNING


class ModelCall(Metered):
    """One attempt of one step, written before it connects. ``outcome`` is empty until it ended."""

    OK, CANCELLED, INTERRUPTED = "ok", "cancelled", "interrupted"

    id = models.BigAutoField(primary_key=True)
    run_id = models.UUIDField(_("run"))
    step = models.PositiveIntegerField(_("step"))
    attempt = models.PositiveIntegerField(_("attempt"))
    provider_id = models.CharField(_("provider"), max_length=64)
    model = models.CharField(_("model"), max_length=200)
    outcome = models.CharField(_("outcome"), max_length=64, blank=True)
    finish_reason = models.CharField(_("finish reason"), max_length=16, blank=True)
    prices = models.JSONField(_("prices used"), default=dict)
    first_token_ms = models.PositiveBigIntegerField(_("first token (ms)"), null=True)
    duration_ms = models.PositiveBigIntegerField(_("duration (ms)"), null=True)
    retry_reason = models.CharField(_("retry reason"), max_length=64, blank=True)
    started_at = models.DateTimeField(_("started"))
    finished_at = models.DateTimeField(_("finished"), null=True)

    class Meta:
        verbose_name = _("model call")
        verbose_name_plural = _("model calls")
        ordering = ["run_id", "step", "attempt"]
        default_permissions = ("view",)
        constraints = [models.UniqueConstraint(fields=["run_id", "step", "attempt"], name="model_call_once_an_attempt")]

    def __str__(self) -> str:
        return f"{self.run_id} {self.step}.{self.attempt}"
