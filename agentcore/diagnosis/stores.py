"""Where the site keeps things: database, channel layer, cache."""

import asyncio
import secrets
from collections.abc import Iterator

from channels.layers import get_channel_layer
from django.conf import settings
from django.core.cache import cache
from django.db import NotSupportedError, OperationalError, connection
from django.db.migrations.executor import MigrationExecutor

from agentcore.diagnosis.finding import Finding, right, wrong

PATIENCE_S = 5.0
SHORTEST_WAIT_S = 5
SQLITE_CURE = "DATABASES['default']['OPTIONS'] = agentcore.hosting.SQLITE_OPTIONS"


def look_at_database() -> Iterator[Finding]:
    try:
        connection.ensure_connection()
    except OperationalError as error:
        yield wrong(f"The database does not answer: {_line(error)}", "Start it, or correct DATABASE_URL.")
        return
    yield from _of_sqlite() if connection.vendor == "sqlite" else _of_server()
    yield _migrations()


def _of_sqlite() -> Iterator[Finding]:
    if not connection.features.can_return_columns_from_insert:
        version = ".".join(map(str, connection.get_database_version()))
        yield wrong(f"SQLite {version} is older than 3.35, which records need.", "Use a Python with a newer SQLite.")
    with connection.cursor() as cursor:
        journal = cursor.execute("PRAGMA journal_mode").fetchone()[0]
        wait_ms = cursor.execute("PRAGMA busy_timeout").fetchone()[0]
    mode = connection.settings_dict["OPTIONS"].get("transaction_mode")
    if journal != "wal":
        yield wrong(f"SQLite's journal is {journal}, so readers and writers block each other.", SQLITE_CURE)
    if mode != "IMMEDIATE":
        yield wrong("SQLite's transactions are not IMMEDIATE, so two writers at once lose one write.", SQLITE_CURE)
    if wait_ms < SHORTEST_WAIT_S * 1000:
        yield wrong(f"SQLite waits {wait_ms} ms for another writer, which is too short.", SQLITE_CURE)
    if journal == "wal" and mode == "IMMEDIATE":
        yield right("SQLite answers, with WAL and IMMEDIATE transactions.")


def _of_server() -> Iterator[Finding]:
    try:
        connection.check_database_version_supported()
    except NotSupportedError as error:
        yield wrong(_line(error), "Upgrade the database server.")
        return
    version = ".".join(map(str, connection.get_database_version()))
    yield right(f"{connection.display_name} {version} answers.")


def _migrations() -> Finding:
    executor = MigrationExecutor(connection)
    missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if missing:
        names = ", ".join(f"{step.app_label}.{step.name}" for step, _backwards in missing[:3])
        return wrong(f"Migrations that are not applied: {len(missing)} ({names}).", "manage.py migrate")
    return right("All migrations are applied.")


def look_at_channel_layer() -> Iterator[Finding]:
    """Whether a message comes through: sockets in other processes are woken by it."""
    if "default" not in settings.CHANNEL_LAYERS:
        yield wrong("There is no channel layer.", "CHANNEL_LAYERS = agentcore.hosting.CHANNEL_LAYERS")
        return
    backend = str(settings.CHANNEL_LAYERS["default"]["BACKEND"]).rpartition(".")[2]
    try:
        asyncio.run(asyncio.wait_for(_send_to_itself(), PATIENCE_S))
    except Exception as error:
        # A layer is anybody's class; that it fails is all that counts.
        yield wrong(
            f"The channel layer ({backend}) does not answer: {_line(error)}", "Start Redis, or correct REDIS_URL."
        )
        return
    yield right(f"The channel layer ({backend}) answers.")


async def _send_to_itself() -> None:
    layer = get_channel_layer()
    channel = await layer.new_channel("steward.doctor")
    await layer.send(channel, {"type": "steward.doctor"})
    await layer.receive(channel)
    if hasattr(layer, "close_pools"):
        await layer.close_pools()


def look_at_cache() -> Iterator[Finding]:
    backend = settings.CACHES["default"]["BACKEND"].rpartition(".")[2]
    key = f"steward.doctor.{secrets.token_hex(4)}"
    try:
        cache.set(key, "here", timeout=60)
        came_back = cache.get(key) == "here"
        cache.delete(key)
    except Exception as error:
        # As for the channel layer.
        yield wrong(f"The cache ({backend}) does not answer: {_line(error)}", "Start Redis, or correct REDIS_URL.")
        return
    if came_back:
        yield right(f"The cache ({backend}) answers.")
    else:
        yield wrong(f"The cache ({backend}) forgets what it is given.", "Use a cache that keeps, in CACHES['default'].")


def _line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
