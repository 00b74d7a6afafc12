"""The app of the ground."""

from django.apps import AppConfig
from django.core.checks import register
from django.utils.translation import gettext_lazy as _

from agentcore.checks import settings_check


class AgentcoreConfig(AppConfig):
    name = "agentcore"
    verbose_name = _("Steward: agents and providers")

    def ready(self) -> None:
        register(settings_check)
