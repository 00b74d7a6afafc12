"""The admin in a real browser: no page breaks the content policy, and forms work with and without JavaScript."""

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.site import PASSWORD, Site

pytestmark = pytest.mark.browser

PAGES = [
    "/admin/",
    "/admin/agentcore/provider/",
    "/admin/agentcore/provider/add/?preset=deepseek",
    "/admin/agentcore/provider/mock/change/",
    "/admin/agentcore/provider/mock/delete/",
    "/admin/agentcore/credential/",
    "/admin/agentcore/credential/add/",
    "/admin/agentcore/agentprofile/",
    "/admin/agentcore/agentprofile/assistant/change/",
    "/admin/agentcore/modelprice/",
    "/admin/agentcore/modelprice/add/",
    "/admin/agentcore/apitoken/",
    "/admin/agentcore/apitoken/add/",
    "/admin/agentcore/run/",
    "/admin/governance/turn/",
    "/admin/governance/auditevent/",
]


def logged_in(context: BrowserContext, site: Site) -> Page:
    page = context.new_page()
    page.goto(f"{site.url}/admin/login/?next=/admin/")
    page.locator("input[name=username]").fill("admin")
    page.locator("input[name=password]").fill(PASSWORD)
    page.locator("input[name=password]").press("Enter")
    page.wait_for_url(f"{site.url}/admin/")
    return page


def test_no_page_breaks_the_policy(browser: Browser, site: Site) -> None:
    context = browser.new_context(locale="en")
    page = logged_in(context, site)
    said: list[str] = []
    page.on("console", lambda message: said.append(f"{page.url}: {message.text}") if message.type == "error" else None)
    page.on("pageerror", lambda error: said.append(f"{page.url}: {error}"))
    for address in PAGES:
        answer = page.goto(site.url + address)
        assert answer is not None
        assert answer.status == 200, address
        assert answer.headers["content-security-policy"].startswith("default-src 'self'"), address
    page.goto(f"{site.url}/admin/agentcore/agentprofile/assistant/change/")
    page.get_by_text("Add another Route").click()
    page.goto(f"{site.url}/admin/agentcore/modelprice/add/")
    page.locator(".datetimeshortcuts a").nth(1).click()
    context.close()
    assert said == []


def test_a_provider_is_made_and_tested_without_javascript(browser: Browser, site: Site) -> None:
    context = browser.new_context(locale="en", java_script_enabled=False)
    page = logged_in(context, site)
    page.goto(f"{site.url}/admin/agentcore/provider/add/")
    page.get_by_role("link", name="Mock (offline)", exact=True).last.click()
    page.get_by_label("Provider id").fill("second-mock")
    page.get_by_role("button", name="Save and continue editing").click()
    page.get_by_role("button", name="Test now").click()
    expect(page.get_by_text("Mock (offline) answers")).to_be_visible()
    page.goto(f"{site.url}/admin/agentcore/provider/second-mock/delete/")
    page.locator("input[type=submit]").last.click()
    context.close()
