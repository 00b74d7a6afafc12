"""The app: a company's travel desk, as a host site would have it."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class TravelConfig(AppConfig):
    name = "examples.travel"
    label = "travel"
    verbose_name = _("Travel (example)")
    default_auto_field = "django.db.models.BigAutoField"
