"""The app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ToolsappConfig(AppConfig):
    name = "toolsapp"
    verbose_name = _("Steward: toolsapp")
