"""HTTP middleware of the site: a request id, a strict content security policy, addresses and answers as HTTP has them.

Each works under both WSGI and ASGI, so that an async view stays on the event loop.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import TypeAlias, cast
from urllib.parse import quote
from uuid import UUID

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.conf import settings
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.utils.decorators import sync_and_async_middleware

from agentcore.ids import uuid7

# Of Unicode: it stands for what cannot be read.
REPLACEMENT = "\ufffd"

GetResponse: TypeAlias = Callable[[HttpRequest], HttpResponse | Awaitable[HttpResponse]]

CONTENT_SECURITY_POLICY = "; ".join(
    [
        "default-src 'self'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    ]
)
# On pages of these namespaces no script makes HTML of a string, but for what the sanitiser has cleaned. Only there:
# the admin's jQuery and the page of the API do so, and a host site's own page may.
OUR_PAGES = {"conversations", "governance"}
TRUSTED_TYPES = "require-trusted-types-for 'script'; trusted-types dompurify"
# What Django's technical pages have near their top, and nothing of ours.
TECHNICAL_PAGE = b'<meta name="robots" content="NONE,NOARCHIVE">'


def _around(
    get_response: GetResponse,
    before: Callable[[HttpRequest], None],
    after: Callable[[HttpRequest, HttpResponse], None],
) -> GetResponse:
    """A middleware of two synchronous halves that never wait, in the colour of what it wraps."""
    if iscoroutinefunction(get_response):

        async def awaited(request: HttpRequest) -> HttpResponse:
            before(request)
            response = await cast(Awaitable[HttpResponse], get_response(request))
            after(request, response)
            return response

        return markcoroutinefunction(awaited)

    def called(request: HttpRequest) -> HttpResponse:
        before(request)
        response = cast(HttpResponse, get_response(request))
        after(request, response)
        return response

    return called


def _nothing_before(request: HttpRequest) -> None:
    """The middleware only looks at the response."""


def _nothing_after(request: HttpRequest, response: HttpResponse) -> None:
    """The middleware only looks at the request."""


@sync_and_async_middleware
def request_id(get_response: GetResponse) -> GetResponse:
    """Give each request an id, ``request.request_id``; it comes back as ``X-Request-ID`` and in every error."""

    def before(request: HttpRequest) -> None:
        try:
            given = str(UUID(request.headers.get("X-Request-ID", "")))
        except ValueError:
            given = str(uuid7())
        request.request_id = given  # type: ignore[attr-defined]

    def after(request: HttpRequest, response: HttpResponse) -> None:
        response.headers["X-Request-ID"] = request.request_id  # type: ignore[attr-defined]

    return _around(get_response, before, after)


@sync_and_async_middleware
def content_security_policy(get_response: GetResponse) -> GetResponse:
    """Send the policy, unless the view sent one of its own, or the page is one that Django shows to developers."""

    def after(request: HttpRequest, response: HttpResponse) -> None:
        if settings.DEBUG and _is_technical_page(response):
            return
        match = request.resolver_match
        is_ours = match is not None and match.app_name in OUR_PAGES
        policy = f"{CONTENT_SECURITY_POLICY}; {TRUSTED_TYPES}" if is_ours else CONTENT_SECURITY_POLICY
        response.headers.setdefault("Content-Security-Policy", policy)

    return _around(get_response, _nothing_before, after)


def _is_technical_page(response: HttpResponse) -> bool:
    """Of an error, with its styles and scripts inline."""
    is_failure = response.status_code >= 400 and not response.streaming
    return is_failure and TECHNICAL_PAGE in response.content[:1000]


@sync_and_async_middleware
def head_without_body(get_response: GetResponse) -> GetResponse:
    """Answer HEAD of a stream with its headers alone. Daphne takes only the first part of a body away, and the rest
    would stand on the connection where the next answer belongs.
    """

    def after(request: HttpRequest, response: HttpResponse) -> None:
        if request.method == "HEAD" and isinstance(response, StreamingHttpResponse):
            # What the body would have been read from is closed with the response.
            response.streaming_content = _no_parts() if response.is_async else iter(())

    return _around(get_response, _nothing_before, after)


async def _no_parts() -> AsyncIterator[bytes]:
    nothing: tuple[bytes, ...] = ()
    for part in nothing:
        yield part


@sync_and_async_middleware
def api_slashes(get_response: GetResponse) -> GetResponse:
    """Strip a trailing slash under ``/api/`` before routing: redirecting, as APPEND_SLASH does, would lose a POST."""

    def before(request: HttpRequest) -> None:
        if request.path_info.startswith("/api/"):
            request.path_info = request.path_info.rstrip("/")

    return _around(get_response, before, _nothing_after)


@sync_and_async_middleware
def no_nul(get_response: GetResponse) -> GetResponse:
    """Take a NUL out of addresses and cookies: nothing has one in its name, and PostgreSQL fails on it.

    What is looked for is then not found; a cookie that has one was not sent.
    """

    def before(request: HttpRequest) -> None:
        request.path_info = request.path_info.replace("\0", REPLACEMENT)
        query = request.META.get("QUERY_STRING", "")
        request.META["QUERY_STRING"] = query.replace("\0", "%00").replace("%00", quote(REPLACEMENT))
        request.COOKIES = cookies_without_nul(request.COOKIES)

    return _around(get_response, before, _nothing_after)


def cookies_without_nul(cookies: Mapping[str, str]) -> dict[str, str]:
    """Those that can be looked up. A quoted cookie may hold any byte, as ``\\000``."""
    return {name: value for name, value in cookies.items() if "\0" not in value}
