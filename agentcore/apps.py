"""The app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AgentcoreConfig(AppConfig):
    name = "agentcore"
    verbose_name = _("Steward: agentcore")
