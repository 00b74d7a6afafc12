"""Models that fail on the real site, in a real browser: the next one goes on, or is one click away."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.live.test_drawer import answer, opened, send
from tests.site import Site

pytestmark = pytest.mark.browser

# The first has no key that can be had; the other two only follow scripts.
ROUTES = """
from agentcore.models import AgentProfile, AgentRoute, Credential, Provider
key = Credential.objects.create(slug="gone", token=b"")
far = {"provider_type": "openai_chat", "base_url": "https://keyless.test/v1", "credential": key}
Provider.objects.create(slug="far", name="Far", default_model="far-1", **far)
Provider.objects.create(slug="spare", name="Spare", default_model="spare-1", provider_type="mock")
AgentRoute.objects.all().delete()
for position, slug in enumerate(SLUGS):
    AgentRoute.objects.create(agent_id="assistant", provider_id=slug, position=position)
AgentProfile.objects.update(fallback_after_text=AFTER_TEXT)
"""
KEYLESS = "No key is set for far-1. mock-1 takes over."
BROKEN = "/fail PROVIDER_BAD_RESPONSE 3\n/stream 6 50"
BREAKS_ONCE = "/fail-once PROVIDER_BAD_RESPONSE 3\n/stream 6 50"


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(locale="en", reduced_motion="reduce")
    yield context.new_page()
    context.close()


@pytest.fixture
def routed(make_site: Callable[..., Site]) -> Callable[..., Site]:
    def start(*slugs: str, after_text: str = "fail") -> Site:
        site = make_site()
        script = ROUTES.replace("SLUGS", repr(slugs)).replace("AFTER_TEXT", repr(after_text))
        done = site.manage("shell", "-c", script)
        assert done.returncode == 0, done.stderr
        return site

    return start


def notices(page: Page) -> Locator:
    return page.locator(".notice")


def test_a_model_without_a_key_gives_way_and_that_is_said_after_a_reload_too(
    page: Page, routed: Callable[..., Site]
) -> None:
    page = opened(page.context, routed("far", "mock"))
    send(page, "hello")
    expect(answer(page)).to_have_text("You said: hello")
    expect(notices(page)).to_have_text(KEYLESS)
    page.reload()
    expect(notices(page)).to_have_text(KEYLESS)
    expect(page.locator(".facts")).to_contain_text("mock-1")


def test_an_answer_that_breaks_off_is_asked_of_the_next_model_with_one_click(
    page: Page, routed: Callable[..., Site]
) -> None:
    page = opened(page.context, routed("far", "mock", "spare"))
    send(page, BROKEN)
    button = page.get_by_role("button", name="Try with spare-1")
    expect(button).to_be_visible()
    expect(answer(page)).to_have_text("w1 w2 w3")
    page.reload()
    expect(answer(page)).to_have_text("w1 w2 w3")
    button.press("Enter")
    expect(page.locator(".turn")).to_have_count(2)
    expect(page.locator(".user-text").last).to_have_text(BROKEN)
    expect(page.get_by_role("button", name="Try with far-1")).to_have_count(0)
    expect(page.get_by_role("button", name="Try with mock-1")).to_be_visible()
    expect(page.locator(".facts").last).to_contain_text("spare-1")


def test_an_answer_may_start_anew_on_the_next_model(page: Page, routed: Callable[..., Site]) -> None:
    page = opened(page.context, routed("mock", "spare", after_text="restart"))
    send(page, BREAKS_ONCE)
    words = "mock-1 gave no complete answer. spare-1 starts the answer anew."
    expect(notices(page)).to_have_text(words)
    expect(answer(page)).to_have_text("w1 w2 w3 w4 w5 w6")
    page.reload()
    expect(notices(page)).to_have_text(words)
    expect(page.locator(".markdown")).to_have_text(["w1 w2 w3 w4 w5 w6"])
