"""A page of a real browser that fails its test when a script throws or the policy is violated."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.far_end import Server

NO_VIOLATIONS = (
    "window.violations = []; addEventListener('securitypolicyviolation', (e) => violations.push(e.violatedDirective))"
)


@pytest.fixture(scope="module")
def browser(chromium_path: str) -> Iterator[Browser]:
    arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path, args=arguments)
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page that fails its test when a script throws or the policy is violated."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.add_init_script(NO_VIOLATIONS)
    yield page
    assert page.evaluate("window.violations") == []
    assert errors == []
    context.close()


@pytest.fixture
def server(page: Page) -> Server:
    server = Server(page)
    page.route("**/*", server.http)
    page.route_web_socket("**/ws/agent/", server.socket)
    return server
