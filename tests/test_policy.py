"""The content security policy: every page that a person comes to by its links sends it, and needs no exception."""

import re
from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest
from django.core.management import call_command
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import include, path, resolve

from agentcore.http import CONTENT_SECURITY_POLICY, TECHNICAL_PAGE, TRUSTED_TYPES
from examples.travel.services.demo import demo_load
from tests.routes import CONVERTED, routes

STARTS = ("/", "/agent/", "/api/docs", "/governance/turns/", "/governance/audit/", "/governance/cost/", "/admin/")
LINK = re.compile(r'<a\b[^>]*\bhref="([^"]+)"')
INLINE = re.compile(r"<script(?![^>]*(?:\bsrc=|application/json))[^>]*>|<style\b|<[^>]*\s(?:style|on\w+)=", re.I)
OURS = ("/agent/", "/governance/")
DIRECTIVES = [
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


@pytest.fixture
def boss(db: None) -> Client:
    """The superuser's browser, on a site with turns."""
    demo_load(password="only-for-tests-2026")
    call_command("seed_ledger", turns=3, force=True, verbosity=0)
    client = Client()
    assert client.login(username="admin", password="only-for-tests-2026")
    return client


def kind_of(address: str) -> str:
    """The route behind ``address``: one page of each is looked at."""
    return "/" + CONVERTED.sub(r"{\1}", resolve(urlsplit(address).path).route)


@pytest.fixture
def crawled(boss: Client) -> dict[str, HttpResponse]:
    """A page of each kind that links lead to, by its address."""
    found: dict[str, HttpResponse] = {}
    waiting, seen = list(STARTS), set()
    while waiting:
        address = waiting.pop(0)
        if not address.startswith("/") or address.startswith("/static/") or kind_of(address) in seen:
            continue
        seen.add(kind_of(address))
        found[address] = answer = boss.get(address)
        waiting += [urljoin(address, link) for link in LINK.findall(answer.getvalue().decode())]
    return found


def promised(address: str) -> str:
    """Trusted types only where no other's scripts are at work."""
    return f"{CONTENT_SECURITY_POLICY}; {TRUSTED_TYPES}" if address.startswith(OURS) else CONTENT_SECURITY_POLICY


def test_every_linked_page_sends_the_policy_and_needs_no_exception(
    crawled: dict[str, HttpResponse],
) -> None:
    pages = {address: page for address, page in crawled.items() if page.headers["Content-Type"].startswith("text/html")}
    sent = {address: page.headers["Content-Security-Policy"] for address, page in pages.items()}
    inline = {address: INLINE.findall(page.getvalue().decode()) for address, page in pages.items()}
    assert sent == {address: promised(address) for address in pages}
    assert inline == {address: [] for address in pages}
    assert {route.path for route in routes() if route.path.startswith(OURS)} <= {*map(kind_of, crawled)}
    assert len(pages) > 30


def test_policy_allows_nothing_inline_and_no_other_host() -> None:
    assert re.findall(r"unsafe|\*|https?:", CONTENT_SECURITY_POLICY) == []
    assert CONTENT_SECURITY_POLICY.split("; ") == DIRECTIVES


@pytest.mark.parametrize("path", ["/nowhere/", "/governance/turns/", "/agent/", "/api/nowhere", "/admin/"])
def test_refusals_send_the_policy_too(client: Client, db: None, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code in {302, 404}
    assert answer.headers["Content-Security-Policy"].startswith(CONTENT_SECURITY_POLICY)


def failing(request: HttpRequest) -> HttpResponse:
    raise LookupError("A mistake of the host site's.")


def missing(request: HttpRequest) -> HttpResponse:
    return HttpResponse("<p>Sold out.</p>", status=404)


def pretending(request: HttpRequest) -> HttpResponse:
    return HttpResponse(TECHNICAL_PAGE, status=404)


urlpatterns = [
    path("failing/", failing),
    path("missing/", missing),
    path("pretending/", pretending),
    path("", include("config.urls")),
]


@pytest.mark.urls(__name__)
@pytest.mark.parametrize(
    ("address", "is_debug", "answered"),
    [
        ("/nowhere/", True, (404, False)),
        ("/failing/", True, (500, False)),
        ("/nowhere/", False, (404, True)),
        ("/failing/", False, (500, True)),
        ("/pretending/", False, (404, True)),
        ("/missing/", True, (404, True)),
        ("/api/nowhere", True, (404, True)),
    ],
)
def test_only_djangos_own_pages_for_developers_go_without_the_policy(
    address: str, is_debug: bool, answered: tuple[int, bool], settings: Any
) -> None:
    settings.DEBUG = is_debug
    answer = Client(raise_request_exception=False).get(address)
    assert (answer.status_code, "Content-Security-Policy" in answer.headers) == answered
