"""What a test may need of its machine, by its mark: where it is found, or why it is missing."""

import os
import shutil
from collections.abc import Callable

from django.conf import settings
from django.db import connection

from scripts.messages import missing

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def chromium() -> str | None:
    """The browser's path: ``CHROMIUM``, else the first one on the ``PATH``."""
    found = (shutil.which(name) for name in (os.environ.get("CHROMIUM", ""), *BROWSERS) if name)
    return next((path for path in found if path), None)


def _browser_missing() -> str | None:
    return None if chromium() else "Chromium is not installed; CHROMIUM=/path/to/it names one elsewhere."


def _node_missing() -> str | None:
    return None if shutil.which("node") else "Node.js is not installed."


def _gettext_missing() -> str | None:
    return f"GNU gettext is not installed: {tool} is missing." if (tool := missing()) else None


def _postgres_missing() -> str | None:
    return None if connection.vendor == "postgresql" else "DATABASE_URL names no PostgreSQL server."


def _redis_missing() -> str | None:
    return None if settings.REDIS_URL else "REDIS_URL names no Redis server."


MISSING: dict[str, Callable[[], str | None]] = {
    "browser": _browser_missing,
    "node": _node_missing,
    "gettext": _gettext_missing,
    "postgres": _postgres_missing,
    "redis": _redis_missing,
}


def is_ci() -> bool:
    """Whether what is missing is a failure and not a skip."""
    return os.environ.get("CI", "").lower() in {"1", "true"}
