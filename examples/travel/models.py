"""Flights that are on sale, and what the company pays for."""

import datetime

from django.db import models
from django.utils.translation import gettext_lazy as _


class FlightQuerySet(models.QuerySet["Flight"]):
    def between(self, origin: str, destination: str) -> "FlightQuerySet":
        """Flights of one direction; both are city codes such as ``BJS``."""
        return self.filter(origin=origin, destination=destination)

    def leaving(self, start: datetime.datetime, end: datetime.datetime) -> "FlightQuerySet":
        """Flights that leave from ``start`` on and before ``end``."""
        return self.filter(departs_at__gte=start, departs_at__lt=end)


class Flight(models.Model):
    """One departure. A flight number leaves again every day."""

    flight_no = models.CharField(_("flight number"), max_length=8)
    airline = models.CharField(_("airline"), max_length=60)
    origin = models.CharField(_("origin"), max_length=3)
    destination = models.CharField(_("destination"), max_length=3)
    departs_at = models.DateTimeField(_("departs"))
    arrives_at = models.DateTimeField(_("arrives"))
    price = models.DecimalField(_("price"), max_digits=9, decimal_places=2)
    currency = models.CharField(_("currency"), max_length=3, default="USD")
    seats = models.PositiveSmallIntegerField(_("free seats"))

    objects = FlightQuerySet.as_manager()

    class Meta:
        verbose_name = _("flight")
        verbose_name_plural = _("flights")
        ordering = ["departs_at", "flight_no"]
        constraints = [models.UniqueConstraint(fields=["flight_no", "departs_at"], name="flight_once_a_departure")]
        indexes = [models.Index(fields=["origin", "destination", "departs_at"], name="flight_by_direction")]

    def __str__(self) -> str:
        return f"{self.flight_no} {self.origin}–{self.destination} {self.departs_at:%Y-%m-%d}"


class Policy(models.Model):
    """One rule of the company. ``max_price`` is the dearest flight that it pays for, in ``currency``."""

    key = models.SlugField(_("key"), unique=True)
    title = models.CharField(_("title"), max_length=100)
    text = models.TextField(_("text"))
    max_price = models.DecimalField(_("highest price"), max_digits=9, decimal_places=2, null=True, blank=True)
    currency = models.CharField(_("currency"), max_length=3, default="USD")
    enabled = models.BooleanField(_("enabled"), default=True)

    class Meta:
        verbose_name = _("travel policy")
        verbose_name_plural = _("travel policies")
        ordering = ["key"]

    def __str__(self) -> str:
        return self.title

    def allows(self, flight: Flight) -> bool:
        """Whether this rule lets a flight pass; a price in another currency is not compared."""
        if self.max_price is None or flight.currency != self.currency:
            return True
        return flight.price <= self.max_price
