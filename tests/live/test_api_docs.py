"""The page of the API in a real browser, under the site's policy."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.live.test_drawer import opened
from tests.site import Site

pytestmark = pytest.mark.browser


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(locale="en")
    yield context.new_page()
    context.close()


def said_by(page: Page) -> list[str]:
    """What the page complains about: the console's warnings and errors, requests that failed, scripts that broke."""
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text) if message.type in {"error", "warning"} else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("requestfailed", lambda request: said.append(request.url))
    page.on("response", lambda response: said.append(response.url) if response.status >= 400 else None)
    return said


def operation(page: Page, method: str, path: str) -> Locator:
    """The opened box of an operation."""
    box = page.locator(f".opblock-{method}", has=page.locator(f'[data-path="{path}"]'))
    box.locator(".opblock-summary-control").click()
    return box


def test_the_page_shows_every_operation_and_breaks_no_policy(page: Page, site: Site) -> None:
    said = said_by(page)

    page.goto(f"{site.url}/api/docs/")

    expect(operation(page, "post", "/api/agent/runs")).to_contain_text("application/json")
    assert page.locator(".opblock").count() > 12
    assert said == []


def test_what_is_tried_there_goes_out_with_the_login_and_the_csrf_token(page: Page, site: Site) -> None:
    page = opened(page.context, site)
    page.goto(f"{site.url}/api/docs/")
    box = operation(page, "post", "/api/conversations")

    box.get_by_role("button", name="Try it out").click()
    box.locator("textarea").fill('{"title": "From the page"}')
    box.get_by_role("button", name="Execute").click()

    expect(box.locator(".live-responses-table .response-col_status").last).to_contain_text("201")
