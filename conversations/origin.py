"""Origins: which pages may open the socket. A browser sends the login's cookie from any page of any site."""

from collections.abc import Awaitable, Callable, Iterable
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.http.request import split_domain_port, validate_host

Application = Callable[[Any, Any, Any], Awaitable[None]]
LOCAL_HOSTS = [".localhost", "127.0.0.1", "[::1]"]


def same_site_only(application: Application) -> Application:
    """``application``, for pages of this site; the handshake of any other, or of none, is refused with 403."""

    async def guarded(scope: Any, receive: Any, send: Any) -> None:
        if origin_is_ours(scope["headers"]):
            await application(scope, receive, send)
        else:
            # Closing before accepting is how ASGI says 403.
            await send({"type": "websocket.close"})

    return guarded


def origin_is_ours(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Whether there is exactly one ``Origin``, and its host is one that this site answers to."""
    origins = _values(headers, b"origin")
    host = _host_of(origins[0]) if len(origins) == 1 else ""
    return bool(host) and validate_host(host, _allowed_hosts(headers))


def _values(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in headers if key.lower() == name]


def _host_of(origin: str) -> str:
    """The host of an origin as ``ALLOWED_HOSTS`` writes it, in lower case; empty when it has none, as ``null``."""
    try:
        parts = urlsplit(origin)
    except ValueError:
        return ""
    return split_domain_port(parts.netloc)[0] if parts.scheme in {"http", "https"} else ""


def _allowed_hosts(headers: Iterable[tuple[bytes, bytes]]) -> list[str]:
    """A site that answers to every host has no list of its own pages: there, the request's own host is the only one."""
    allowed = settings.ALLOWED_HOSTS or (LOCAL_HOSTS if settings.DEBUG else [])
    if "*" not in allowed:
        return list(allowed)
    return [split_domain_port(host)[0] for host in _values(headers, b"host")]
