"""The page that users see: the chat as a page of its own."""

from django.contrib.auth.mixins import LoginRequiredMixin
from django.views.generic import TemplateView


class AgentView(LoginRequiredMixin, TemplateView):
    """The same chat as in the drawer, as a page."""

    template_name = "conversations/agent.html"
