"""The app."""

from django.apps import AppConfig
from django.core.checks import register
from django.utils.translation import gettext_lazy as _

from toolsapp.checks import check_tools


class ToolsappConfig(AppConfig):
    name = "toolsapp"
    verbose_name = _("Steward: tools")

    def ready(self) -> None:
        register(check_tools, "steward")
