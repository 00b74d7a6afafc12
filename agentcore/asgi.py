"""The ASGI application of a host site: HTTP by Django, the socket of conversations, the timers of runs.

``ASGI_APPLICATION = "agentcore.asgi.application"``. A site with sockets of its own builds the same from
``agentcore.runs.lifespan.with_timers`` and ``conversations.routing.websocket``.
"""

from typing import Any

from django.core.asgi import get_asgi_application

# First: it sets Django up, which everything below needs.
http = get_asgi_application()

from channels.routing import ProtocolTypeRouter  # noqa: E402
from django.apps import apps  # noqa: E402
from django.utils.module_loading import import_string  # noqa: E402

from agentcore.hosting import SOCKET, SOCKET_APP  # noqa: E402
from agentcore.runs.lifespan import with_timers  # noqa: E402

# By name: the ground imports no wing.
sockets: dict[str, Any] = {"websocket": import_string(SOCKET)} if apps.is_installed(SOCKET_APP) else {}
application = with_timers(ProtocolTypeRouter({"http": http, **sockets}))
