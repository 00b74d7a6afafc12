"""One request to a provider, on a connection whose address was checked: the one place that opens a socket."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

import httpx
from django.utils.translation import gettext as _

from agentcore.errors import ProviderBadResponse, ProviderError, ProviderTimeout, ProviderUnavailable
from agentcore.providers.compression import body_chunks
from agentcore.providers.connections import answer_to, client_of
from agentcore.providers.urls import CheckedUrl, checked_addresses, checked_url
from agentcore.redaction import Redactor

MAX_ERROR_BYTES = 64 * 1024
# What reading or writing on a connection may raise.
CONNECTION_ERRORS = (httpx.HTTPError, httpx.InvalidURL)


@dataclass(frozen=True, kw_only=True)
class WireRequest:
    """A request as it goes out. ``path``, perhaps with a query, follows the path of ``base_url``."""

    method: str
    base_url: str
    path: str
    headers: dict[str, str] = field(repr=False)
    content: bytes = b""


@asynccontextmanager
async def exchanged(
    wanted: WireRequest, *, allow_private: bool, connect_s: float | None
) -> AsyncIterator[httpx.Response]:
    """The response, its body not read yet, from the first address of the host that can be connected to.

    Raises:
        ProviderUrlForbidden: the address may not be connected to.
        ProviderUnavailable, httpx.HTTPError: nobody answered.
    """
    url = checked_url(wanted.base_url)
    addresses = await checked_addresses(url, allow_private=allow_private)
    response = await _sent(wanted, url, addresses, connect_s)
    try:
        yield response
    finally:
        await response.aclose()


async def _sent(wanted: WireRequest, url: CheckedUrl, addresses: list[str], connect_s: float | None) -> httpx.Response:
    client = client_of(url.origin)
    path, _, query = wanted.path.partition("?")
    for number, address in enumerate(addresses, 1):
        # Connect to the address that was checked, not to the name, which may answer otherwise a second time.
        request = client.build_request(
            wanted.method,
            httpx.URL(
                scheme=url.scheme,
                host=address,
                port=url.port,
                path=url.path + path,
                query=query.encode() or None,
            ),
            headers=_headers(wanted, url),
            content=wanted.content,
            timeout=httpx.Timeout(None, connect=connect_s),
            extensions={"sni_hostname": url.host},
        )
        try:
            return await answer_to(client, request)
        except (httpx.ConnectError, httpx.ConnectTimeout):
            if number == len(addresses):
                raise
    raise ProviderUnavailable()


def _headers(wanted: WireRequest, url: CheckedUrl) -> list[tuple[bytes, bytes]]:
    """Bytes, since the error of a header that is not ASCII would quote it."""
    headers = {
        "Host": url.authority,
        "User-Agent": "django-steward",
        # A compressed stream is understood, but not asked for: proxies hold it back to compress it.
        "Accept-Encoding": "identity",
        **wanted.headers,
    }
    return [(name.encode(), value.encode("utf-8", "replace")) for name, value in headers.items()]


async def body_of(response: httpx.Response, *, limit: int = MAX_ERROR_BYTES) -> bytes:
    """At most ``limit`` bytes of the body; what was read before the connection broke."""
    body = bytearray()
    with suppress(httpx.HTTPError, ProviderBadResponse):
        async for chunk in body_chunks(response):
            body += chunk[: limit - len(body)]
            if len(body) >= limit:
                break
    return bytes(body)


def provider_failure(error: Exception) -> ProviderError:
    """``error`` as one of ours. Raise it outside the ``except``: the foreign one may hold the URL or a header."""
    match error:
        case ProviderError():
            return error
        case httpx.TimeoutException() | TimeoutError():
            return ProviderTimeout()
        case httpx.RemoteProtocolError() if not _hung_up(error):
            return ProviderBadResponse(_("What answers at the provider's address does not speak HTTP."))
        case _:
            return ProviderUnavailable()


def _hung_up(error: httpx.RemoteProtocolError) -> bool:
    """Whether the other side closed the connection, rather than said something that is not HTTP."""
    return "disconnected" in str(error) or "closed connection" in str(error)


def without_secrets(failure: ProviderError, redactor: Redactor) -> ProviderError:
    """``failure`` with what the upstream said redacted, and nothing behind it.

    No foreign exception, and no frames: Django reports the variables of each, and they hold the body and the address.
    """
    failure.message = redactor.redact_text(failure.message)
    failure.args = (failure.message,)
    failure.__context__ = failure.__cause__ = None
    return failure.with_traceback(None)
