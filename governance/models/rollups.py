"""Roll-ups: what the turns of a day add up to, so that a page costs the same however long the ledger is."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class UsageDay(models.Model):
    """A day of the site's time zone, and whether its roll-ups are what its turns add up to.

    A day that is not closed is read from the ledger itself. Whoever writes a turn of a past day opens it again.
    """

    day = models.DateField(_("day"), primary_key=True)
    zone = models.CharField(_("time zone"), max_length=64)
    is_closed = models.BooleanField(_("closed"), default=False)

    class Meta:
        verbose_name = _("day of usage")
        verbose_name_plural = _("days of usage")
        default_permissions = ()

    def __str__(self) -> str:
        return self.day.isoformat()


class DailyUsage(models.Model):
    """Counters of one day and currency. An unknown cost is in ``unpriced``, never a zero in ``cost``."""

    id = models.BigAutoField(primary_key=True)
    currency = models.CharField(_("currency"), max_length=3)
    turns = models.PositiveIntegerField(_("turns"))
    running = models.PositiveIntegerField(_("running"))
    failed = models.PositiveIntegerField(_("failed"))
    unpriced = models.PositiveIntegerField(_("unpriced"))
    input_tokens = models.PositiveBigIntegerField(_("input tokens"))
    cached_input_tokens = models.PositiveBigIntegerField(_("cached input tokens"))
    output_tokens = models.PositiveBigIntegerField(_("output tokens"))
    reasoning_tokens = models.PositiveBigIntegerField(_("reasoning tokens"))
    cost = models.DecimalField(_("cost"), max_digits=24, decimal_places=10, null=True)

    class Meta:
        abstract = True
        default_permissions = ()


class DailyModelUsage(DailyUsage):
    """A day, by the route that answered or was asked."""

    day = models.ForeignKey(UsageDay, models.CASCADE, related_name="by_model")
    provider_id = models.CharField(_("provider"), max_length=64, blank=True)
    model = models.CharField(_("model"), max_length=200, blank=True)

    class Meta(DailyUsage.Meta):
        abstract = False
        verbose_name = _("usage of a model in a day")
        verbose_name_plural = _("usage of models by day")

    def __str__(self) -> str:
        return f"{self.day_id} {self.provider_id}/{self.model}"


class DailyUserUsage(DailyUsage):
    """A day, by the person who asked."""

    day = models.ForeignKey(UsageDay, models.CASCADE, related_name="by_user")
    username = models.CharField(_("user"), max_length=150, blank=True)

    class Meta(DailyUsage.Meta):
        abstract = False
        verbose_name = _("usage of a person in a day")
        verbose_name_plural = _("usage of people by day")
        indexes = [models.Index(fields=["day", "username"], name="daily_user_usage_by_user")]

    def __str__(self) -> str:
        return f"{self.day_id} {self.username}"
