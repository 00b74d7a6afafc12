"""Addresses of the pages for users."""

from django.urls import path

from conversations.views import AgentView

app_name = "conversations"
urlpatterns = [path("agent/", AgentView.as_view(), name="agent")]
