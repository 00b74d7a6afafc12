"""The pages that users see: the host site's page with the drawer, and the chat as a page."""

from django.contrib.auth.mixins import LoginRequiredMixin
from django.views.generic import TemplateView


class HomeView(TemplateView):
    """The site into which Steward is put."""

    template_name = "conversations/home.html"


class AgentView(LoginRequiredMixin, TemplateView):
    """The same chat, as a page."""

    template_name = "conversations/agent.html"
