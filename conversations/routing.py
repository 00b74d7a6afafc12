"""The socket's address, behind the check of its origin."""

from channels.routing import URLRouter
from django.urls import path

from conversations.consumer import AgentSocket
from conversations.origin import same_site_only

websocket = same_site_only(URLRouter([path("ws/agent/", AgentSocket.as_asgi())]))
