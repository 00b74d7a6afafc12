"""What Daphne serves: HTTP by Django, the socket by Channels, and the timers of runs."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
http = get_asgi_application()

from channels.routing import ProtocolTypeRouter  # noqa: E402

from agentcore.runs.lifespan import with_timers  # noqa: E402
from conversations.routing import websocket  # noqa: E402

application = with_timers(ProtocolTypeRouter({"http": http, "websocket": websocket}))
