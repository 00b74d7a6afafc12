"""The drawer on the real site, in a real browser: what a person does, and what happens to them."""

import signal
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from tests.site import PASSWORD, Site

pytestmark = pytest.mark.browser

SLOW = "/stream 120 25"
WHOLE = " ".join(f"w{number}" for number in range(1, 121))
FLIGHTS = (
    '/tool search_flights {"origin": "Berlin", "destination": "Paris", "date": "2030-05-01"}\n/then\nHere they are.'
)


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(locale="en", reduced_motion="reduce")
    yield context
    context.close()


def opened(context: BrowserContext, site: Site, *, path: str = "/") -> Page:
    """A tab of the logged-in demo user with the drawer open."""
    page = context.new_page()
    page.goto(f"{site.url}/accounts/login/?next={path}")
    if page.locator("input[name=password]").count():
        page.locator("input[name=username]").fill("demo")
        page.locator("input[name=password]").fill(PASSWORD)
        page.locator("input[name=password]").press("Enter")
    page.locator("steward-drawer[data-ready]").wait_for(state="attached")
    box = page.get_by_role("textbox", name="Message Travel assistant")
    if not box.is_visible():
        page.get_by_role("button", name="Ask Travel assistant").click()
    expect(box).to_be_visible()
    return page


def send(page: Page, text: str) -> None:
    box = page.get_by_role("textbox", name="Message Travel assistant")
    box.fill(text)
    box.press("Enter")


def new_conversation(page: Page) -> None:
    page.get_by_role("button", name="New conversation").first.click()


def answer(page: Page) -> Locator:
    return page.locator(".markdown").last


def test_person_chats_and_sees_a_tool_card(context: BrowserContext, site: Site) -> None:
    page = opened(context, site)
    new_conversation(page)
    send(page, FLIGHTS)

    card = page.locator("details.card")
    expect(card).to_contain_text("Flights from Berlin to Paris")
    expect(card).to_contain_text("Done")
    expect(answer(page)).to_have_text("You said: Here they are.")
    card.locator("summary").click()
    expect(card).to_contain_text('"destination": "Paris"')


def test_a_rating_and_a_card_are_the_same_after_a_reload(context: BrowserContext, site: Site) -> None:
    page = opened(context, site)
    new_conversation(page)
    send(page, FLIGHTS)
    good, head = page.get_by_role("button", name="Good answer"), page.locator("details.card summary")
    with page.expect_response(lambda response: response.url.endswith("/feedback")) as answered:
        good.click()
    assert answered.value.status == 200
    seen = head.inner_text()

    page.reload()

    expect(good).to_have_attribute("aria-pressed", "true")
    assert head.inner_text() == seen


def test_person_stops_an_answer_and_goes_on(context: BrowserContext, site: Site) -> None:
    page = opened(context, site)
    new_conversation(page)
    send(page, "/stream 2000 25")
    expect(answer(page)).to_contain_text("w5 ")

    page.get_by_role("button", name="Stop").click()

    expect(page.get_by_role("button", name="Stop")).to_be_hidden()
    partial = answer(page).inner_text()
    assert partial.startswith("w1 w2")
    send(page, "go on")
    expect(answer(page)).to_have_text("You said: go on")
    page.reload()
    expect(page.locator(".markdown").first).to_have_text(partial)


def test_reload_in_mid_answer_shows_the_same_text_in_two_tabs(context: BrowserContext, site: Site) -> None:
    undisturbed = opened(context, site)
    new_conversation(undisturbed)
    send(undisturbed, SLOW)
    expect(answer(undisturbed)).to_contain_text("w3 ")

    second = opened(context, site)
    expect(answer(second)).to_contain_text("w5 ")
    second.reload()

    expect(answer(undisturbed)).to_have_text(WHOLE, timeout=20_000)
    expect(answer(second)).to_have_text(WHOLE, timeout=20_000)
    second.reload()
    expect(answer(second)).to_have_text(WHOLE)


def test_server_that_is_killed_in_mid_answer_loses_nothing(
    context: BrowserContext, make_site: Callable[..., Site]
) -> None:
    site = make_site()
    page = opened(context, site)
    new_conversation(page)
    send(page, "/stream 2000 25")
    expect(answer(page)).to_contain_text("w20 ")
    seen = answer(page).inner_text()

    site.kill(signal.SIGKILL)
    make_site(port=site.port)

    expect(page.get_by_text("The server was restarted in the middle of this answer").first).to_be_visible(
        timeout=30_000
    )
    assert answer(page).inner_text().startswith(seen)
    send(page, "go on")
    expect(answer(page)).to_have_text("You said: go on")


@pytest.mark.parametrize(("locale", "greeting"), [("en", "Log in"), ("zh-CN", "登录")])
def test_site_speaks_the_language_of_the_browser(browser: Browser, site: Site, locale: str, greeting: str) -> None:
    context = browser.new_context(locale=locale)
    page = context.new_page()
    page.goto(f"{site.url}/accounts/login/")

    expect(page.get_by_role("button", name=greeting)).to_be_visible()
    context.close()


def test_page_of_the_chat_works_under_trusted_types(context: BrowserContext, site: Site) -> None:
    opened(context, site).close()
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text) if message.type in {"error", "warning"} else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(f"{site.url}/agent/")
    new_conversation(page)
    send(page, "**bold**")

    expect(answer(page).locator("strong")).to_have_text("bold")
    assert said == []
    refusal = "() => { try { document.body.innerHTML = '<p>x</p>'; } catch (error) { return error.name; } }"
    assert page.evaluate(refusal) == "TypeError"
