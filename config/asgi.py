"""What Daphne serves."""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from agentcore.asgi import application

__all__ = ["application"]
