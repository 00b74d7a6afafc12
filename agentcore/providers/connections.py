"""Connections to upstreams: one pool a host and event loop, kept open between calls."""

import asyncio
import ssl
from functools import cache
from weakref import WeakKeyDictionary

import httpx

# Redirects are refused, and no proxy from the environment may carry a checked address elsewhere.
_LIMITS = httpx.Limits(max_connections=200, max_keepalive_connections=20, keepalive_expiry=30)

# What using a connection raises that the server closed while it was kept.
_GONE = (httpx.ReadError, httpx.WriteError, httpx.RemoteProtocolError)

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


class _Watch:
    """Sees whether a request goes over a kept connection or opens one."""

    is_kept = True

    async def __call__(self, step: str, _details: object) -> None:
        if step.startswith("connection.connect_tcp"):
            self.is_kept = False


async def answer_to(client: httpx.AsyncClient, request: httpx.Request) -> httpx.Response:
    """The response, its body not read yet.

    Some servers close a kept connection just when it is used again. Nothing was answered on it then, so the request
    goes out once more. Only once: a server that breaks off whatever is asked would get it over each kept connection.
    """
    watch = request.extensions["trace"] = _Watch()
    try:
        return await client.send(request, stream=True)
    except _GONE:
        if not watch.is_kept:
            raise
    return await client.send(request, stream=True)


async def close_connections() -> None:
    """Close the running loop's connections: when the process ends, and between tests."""
    clients = _clients.pop(asyncio.get_running_loop(), {})
    for client in clients.values():
        await client.aclose()
