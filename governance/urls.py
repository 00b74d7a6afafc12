"""Addresses."""

from django.urls import URLPattern, path

from governance import views

app_name = "governance"
urlpatterns: list[URLPattern] = [
    path("governance/turns/", views.turns, name="turns"),
    path("governance/turns/export.csv", views.turns_export, name="turns-export"),
    path("governance/turns/<uuid:run_id>/", views.turn, name="turn"),
    path("governance/audit/", views.audit, name="audit"),
    path("governance/cost/", views.cost, name="cost"),
]
