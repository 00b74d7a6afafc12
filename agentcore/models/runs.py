"""Runs: one execution of an agent for one user input, and everything that makes it durable."""

from typing import Any

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from agentcore.ids import uuid7


class RunQuerySet(models.QuerySet["Run"]):
    def visible_to(self, user: Any) -> "RunQuerySet":
        """The runs whose text ``user`` may read: their own."""
        return self.filter(user_id=user.pk)

    def open(self) -> "RunQuerySet":
        return self.filter(status__in=Run.OPEN)

    def owed(self) -> "RunQuerySet":
        """Ended runs whose record was not delivered yet."""
        return self.exclude(status__in=Run.OPEN).filter(recorded_at=None)


class Run(models.Model):
    """A run. A row before it is anything else."""

    class Status(models.TextChoices):
        QUEUED = "queued", _("queued")
        RUNNING = "running", _("running")
        WAITING = "waiting_permission", _("waiting for permission")
        COMPLETED = "completed", _("completed")
        FAILED = "failed", _("failed")
        CANCELLED = "cancelled", _("cancelled")

    OPEN = (Status.QUEUED, Status.RUNNING, Status.WAITING)

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="steward_runs")
    username = models.CharField(_("user"), max_length=150)
    tenant = models.CharField(_("tenant"), max_length=100, blank=True)
    locale = models.CharField(max_length=16, default="en")
    # No foreign key: conversations live in a wing that a site may leave out.
    conversation_id = models.UUIDField(_("conversation"), null=True, db_index=True)
    purpose = models.CharField(_("purpose"), max_length=32, default="chat")
    agent = models.CharField(_("agent"), max_length=64)
    status = models.CharField(_("status"), max_length=24, choices=Status.choices, default=Status.QUEUED)
    finish_reason = models.CharField(_("finish reason"), max_length=16, blank=True)
    cancel_reason = models.CharField(_("cancel reason"), max_length=16, blank=True)
    input = models.TextField(blank=True)
    output = models.TextField(blank=True)
    provider_id = models.CharField(_("provider"), max_length=64, blank=True)
    model = models.CharField(_("model"), max_length=200, blank=True)
    requested_provider_id = models.CharField(_("requested provider"), max_length=64, blank=True)
    requested_model = models.CharField(_("requested model"), max_length=200, blank=True)
    usage = models.JSONField(_("usage"), default=dict)
    cost = models.DecimalField(_("cost"), max_digits=20, decimal_places=10, null=True)
    currency = models.CharField(_("currency"), max_length=3, default="USD")
    model_calls = models.PositiveIntegerField(_("model calls"), default=0)
    citations = models.JSONField(default=list)
    error = models.JSONField(null=True)
    config = models.JSONField(_("configuration"), default=dict)
    last_sequence = models.IntegerField(default=-1)

    # Null, not empty: a run without a send_id must not collide with another one.
    send_id = models.CharField(max_length=64, null=True)  # noqa: DJ001
    send_hash = models.CharField(max_length=64, blank=True)

    # The lease: who executes it, until when, and the fencing token that grows with each take-over.
    owner = models.CharField(max_length=200, blank=True)
    fence = models.PositiveIntegerField(default=0)
    lease_expires_at = models.DateTimeField(null=True)
    cancel_requested = models.CharField(max_length=16, blank=True)

    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    started_at = models.DateTimeField(_("started"), null=True)
    finished_at = models.DateTimeField(_("finished"), null=True)
    # Empty until the observers have kept the end of the run.
    recorded_at = models.DateTimeField(_("recorded"), null=True)

    objects = RunQuerySet.as_manager()

    class Meta:
        verbose_name = _("run")
        verbose_name_plural = _("runs")
        permissions = [("use_chat_api", _("Can use the chat API"))]
        ordering = ["-created_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["conversation_id"],
                condition=Q(status__in=["queued", "running", "waiting_permission"]),
                name="run_one_open_in_conversation",
            ),
            models.UniqueConstraint(fields=["user", "send_id"], name="run_send_id_once"),
        ]
        indexes = [
            models.Index(
                fields=["lease_expires_at"],
                condition=Q(status__in=["queued", "running", "waiting_permission"]),
                name="run_open_by_lease",
            ),
            models.Index(
                fields=["finished_at"],
                condition=Q(recorded_at=None, status__in=["completed", "failed", "cancelled"]),
                name="run_owed",
            ),
        ]

    def __str__(self) -> str:
        return str(self.id)

    @property
    def is_open(self) -> bool:
        return self.status in self.OPEN


class RunEvent(models.Model):
    """What a run showed. The unique sequence is also the fence: of two writers of one run, one fails."""

    id = models.BigAutoField(primary_key=True)
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="events", db_index=False)
    sequence = models.IntegerField()
    type = models.CharField(max_length=32)
    data = models.JSONField(encoder=DjangoJSONEncoder)
    created_at = models.DateTimeField()

    class Meta:
        verbose_name = _("run event")
        verbose_name_plural = _("run events")
        ordering = ["run", "sequence"]
        constraints = [models.UniqueConstraint(fields=["run", "sequence"], name="run_event_sequence_once")]

    def __str__(self) -> str:
        return f"{self.run_id}#{self.sequence} {self.type}"


class RunStep(models.Model):
    """The exact messages of a settled step: what a resumed run goes on from. Deleted when the run ends."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="steps", db_index=False)
    step = models.PositiveIntegerField()
    messages = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("run step")
        verbose_name_plural = _("run steps")
        ordering = ["run", "step"]
        constraints = [models.UniqueConstraint(fields=["run", "step"], name="run_step_once")]

    def __str__(self) -> str:
        return f"{self.run_id}/{self.step}"


class ToolCall(models.Model):
    """A call, written before its effect."""

    class Status(models.TextChoices):
        PROPOSED = "proposed", _("proposed")
        WAITING = "waiting", _("waiting")
        EXECUTING = "executing", _("executing")
        DONE = "done", _("done")
        FAILED = "failed", _("failed")
        DENIED = "denied", _("denied")
        CANCELLED = "cancelled", _("cancelled")
        UNKNOWN = "unknown", _("unknown")

    UNSETTLED = (Status.PROPOSED, Status.WAITING, Status.EXECUTING)

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="tool_calls", db_index=False)
    call_id = models.CharField(max_length=200)
    step = models.PositiveIntegerField()
    name = models.CharField(max_length=200)
    arguments = models.JSONField()
    argument_hash = models.CharField(max_length=64)
    definition_hash = models.CharField(max_length=64, blank=True)
    effect = models.CharField(max_length=16)
    idempotent = models.BooleanField(default=False)
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.PROPOSED)
    result = models.JSONField(null=True)
    error = models.JSONField(null=True)
    fence = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("tool call")
        verbose_name_plural = _("tool calls")
        ordering = ["run", "step", "pk"]
        constraints = [models.UniqueConstraint(fields=["run", "call_id"], name="tool_call_once_a_run")]

    def __str__(self) -> str:
        return f"{self.name} {self.call_id}"


class PermissionRequest(models.Model):
    """A question to a person, stored before it is shown; decided by one conditional update."""

    class Decision(models.TextChoices):
        ALLOW_ONCE = "allow_once", _("allowed once")
        ALLOW_SESSION = "allow_session", _("allowed for this conversation")
        DENY = "deny", _("denied")
        EXPIRED = "expired", _("expired")

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="permission_requests")
    call = models.OneToOneField(ToolCall, on_delete=models.CASCADE, related_name="permission_request")
    tool = models.CharField(max_length=200)
    permission = models.CharField(max_length=200)
    approver_permission = models.CharField(max_length=200, blank=True)
    arguments = models.JSONField()
    summary = models.TextField(blank=True)
    editable = models.BooleanField(default=False)
    decision = models.CharField(max_length=16, choices=Decision.choices, blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="steward_decisions"
    )
    decided_arguments = models.JSONField(null=True)
    reason = models.TextField(blank=True)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    decided_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("permission request")
        verbose_name_plural = _("permission requests")
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.tool} {self.id}"
