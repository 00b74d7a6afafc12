"""Connections to upstreams: one pool a host and event loop, kept open between calls."""

import asyncio
import ssl
from functools import cache
from weakref import WeakKeyDictionary

import httpx

# Redirects are refused, and no proxy from the environment may carry a checked address elsewhere.
_LIMITS = httpx.Limits(max_connections=200, max_keepalive_connections=20, keepalive_expiry=30)

_clients: "WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, httpx.AsyncClient]]" = WeakKeyDictionary()


@cache
def _trust() -> ssl.SSLContext:
    """One for the process: reading the certificates takes some 50 ms, in which the loop stands still."""
    return httpx.create_ssl_context(trust_env=False)


def client_of(host: str) -> httpx.AsyncClient:
    """The running loop's client for a host. Time limits belong to each request."""
    clients = _clients.setdefault(asyncio.get_running_loop(), {})
    if host not in clients:
        clients[host] = httpx.AsyncClient(
            verify=_trust(), follow_redirects=False, trust_env=False, timeout=None, limits=_LIMITS
        )
    return clients[host]


async def close_connections() -> None:
    """Close the running loop's connections: when the process ends, and between tests."""
    clients = _clients.pop(asyncio.get_running_loop(), {})
    for client in clients.values():
        await client.aclose()
