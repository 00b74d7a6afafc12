"""Addresses of the records' API, under ``/api/``."""

from django.urls import path

from governance.api.views import Audit, Cost, Turns

urlpatterns = [
    path("governance/turns", Turns.as_view(), name="governance-turns"),
    path("governance/audit", Audit.as_view(), name="governance-audit"),
    path("governance/cost", Cost.as_view(), name="governance-cost"),
]
