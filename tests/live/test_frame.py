"""The frame of the site and its pages in a real browser: on a phone nothing is cut, and nothing scrolls sideways."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.site import PASSWORD, Site

pytestmark = pytest.mark.browser

PATHS = ("/", "/agent/", "/governance/turns/", "/governance/audit/", "/governance/cost/")
CUT = "(e) => e.scrollWidth - e.clientWidth"


@pytest.fixture(scope="module")
def browser(chromium_path: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture(scope="module", params=["en", "zh-CN"])
def page(request: pytest.FixtureRequest, browser: Browser, site: Site) -> Iterator[Page]:
    """A tab of the operator, who has the most links."""
    context = browser.new_context(locale=request.param)
    page = context.new_page()
    page.goto(f"{site.url}/accounts/login/")
    page.locator("input[name=username]").fill("operator")
    page.locator("input[name=password]").fill(PASSWORD)
    page.locator("input[name=password]").press("Enter")
    page.wait_for_url(f"{site.url}/")
    yield page
    context.close()


@pytest.mark.parametrize("size", [(390, 844), (360, 640), (740, 360)], ids=str)
@pytest.mark.parametrize("path", PATHS)
def test_page_fits_a_phone(page: Page, site: Site, path: str, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(f"{site.url}{path}")

    assert page.locator("html").evaluate(CUT) <= 0
    assert page.locator(".site-nav").evaluate(CUT) <= 0
    assert page.locator(".language button:visible").count() >= 1
