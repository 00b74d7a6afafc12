"""Models that fail, in the drawer: who goes on and why, in words, and the next one as one click."""

from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.far_end import MOCK, Server, ask, open_drawer, visit

pytestmark = pytest.mark.browser

BIG, SMALL = {"provider_id": "far", "model": "big"}, {"provider_id": "near", "model": "small"}
CAN = ["chat", "streaming", "tool_calling", "vision"]
BROKEN = {"code": "PROVIDER_BAD_RESPONSE", "message": ""}


def offered(route: dict[str, str], name: str, *, capabilities: list[str] = CAN, is_on: bool = True) -> dict[str, Any]:
    return route | {"name": name, "capabilities": capabilities, "available": is_on, "reason": None}


@pytest.fixture(autouse=True)
def _models(server: Server) -> None:
    server.stored["models"] = {"results": [offered(BIG, "Big"), offered(SMALL, "Small")]}


def change(**more: Any) -> dict[str, Any]:
    return {"from": BIG, "to": SMALL, "reason": "PROVIDER_TIMEOUT", "discard": None, "omitted": []} | more


def start(server: Server, *routes: dict[str, str]) -> None:
    server.event("RunStarted", input="hi", config={"routes": list(routes)})
    server.event("StepStarted", step=1, **routes[0])


def fail(server: Server, *routes: dict[str, str], **error: str) -> None:
    """A run that said something before its first route broke."""
    start(server, *routes)
    server.delta("half")
    server.event("RunFailed", error=BROKEN | error, output="half")


def stored_failure(*changes: dict[str, Any]) -> dict[str, Any]:
    at = {"run_id": "r", "created_at": "2026-01-01T10:00:00Z", "feedback": None, "contents": []}
    asked = {"message_id": "u", "role": "user", "text": "hi"} | at
    said = {"message_id": "m", "role": "assistant", "text": "half"} | at
    line = {"status": "failed", "usage": None, "cost": None, "currency": "USD", "error": BROKEN, "tool_calls": []}
    more = {"routes": [BIG, SMALL, MOCK], "route_changes": [each | {"after_calls": 0} for each in changes]}
    return {"results": [asked, said], "next": None, "open_run_id": None, "runs": {"r": line | BIG | more}}


def notice(page: Page) -> Locator:
    return page.locator(".notice")


def buttons(page: Page) -> Locator:
    return page.locator(".error-actions button")


def test_a_model_that_takes_over_is_named_with_the_reason(page: Page, server: Server) -> None:
    ask(page, server)
    start(server, BIG, SMALL)
    server.event("RouteChanged", **change())
    server.event("MessageCompleted", message_id="m", text="Three.")
    server.event("RunCompleted", output="Three.", finish_reason="stop", usage=None, cost=None, **SMALL)
    words = "Big took too long. Small takes over."
    expect(notice(page)).to_have_text(words)
    expect(page.get_by_role("status").filter(has_text=words)).to_have_count(1)
    expect(page.locator(".facts")).to_contain_text("small")


def test_text_that_was_taken_back_is_gone_and_that_is_said(page: Page, server: Server) -> None:
    ask(page, server)
    start(server, BIG, SMALL)
    server.delta("half")
    expect(page.locator(".markdown")).to_have_text("half")
    server.event("RouteChanged", **change(reason="PROVIDER_BAD_RESPONSE", discard="m"))
    expect(notice(page)).to_have_text("Big gave no complete answer. Small starts the answer anew.")
    expect(page.locator(".markdown")).to_have_count(0)
    server.event("TextDelta", message_id="n", text="whole")
    expect(page.locator(".markdown")).to_have_text("whole")


def test_what_a_model_goes_without_is_said_once(page: Page, server: Server) -> None:
    ask(page, server)
    start(server, BIG)
    less = change(to=BIG, reason="CAPABILITY_MISSING", omitted=["images", "tools"])
    server.event("RouteChanged", **less)
    server.event("RouteChanged", **less)
    server.delta("half")
    expect(notice(page)).to_have_text(
        "Pictures that this model cannot see were left out. This model cannot use tools: it answers from what it knows."
    )


def test_the_next_route_is_one_click(page: Page, server: Server) -> None:
    ask(page, server)
    fail(server, BIG, SMALL, MOCK)
    expect(page.locator(".markdown")).to_have_text("half")
    expect(buttons(page)).to_have_text(["Try with Small", "Try again"])
    expect(page.get_by_role("status").filter(has_text="Try with Small")).to_have_count(1)

    buttons(page).first.press("Enter")

    again = server.wait_for("send", 2)
    wanted = {"text": "hi", "conversation_id": "c", **SMALL}
    assert {key: again.get(key) for key in wanted} == wanted
    expect(page.get_by_role("textbox", name="Message Steward")).to_be_focused()
    expect(buttons(page)).to_have_count(0)
    expect(page.locator(".error-box")).to_have_count(1)


def test_only_the_newest_answer_is_tried_again(page: Page, server: Server) -> None:
    ask(page, server)
    fail(server, BIG, SMALL)
    page.get_by_role("button", name="Try with Small").click()
    send = server.wait_for("send", 2)
    server.sequence = -1
    server.say(type="accepted", send_id=send["send_id"], run_id="s", conversation_id="c")
    for sequence, (kind, data) in enumerate(
        [("RunStarted", {"input": "hi", "config": {"routes": [SMALL, BIG]}}), ("RunFailed", {"error": BROKEN})]
    ):
        envelope = {"run_id": "s", "sequence": sequence, "type": kind, "created_at": "2026-01-01T10:00:00Z"}
        server.say(type="event", event=envelope | {"data": data})
    expect(page.locator(".error-box")).to_have_count(2)
    expect(page.locator(".turn").first.locator(".error-actions")).to_have_count(0)
    expect(page.locator(".turn").last.locator(".error-actions button").first).to_be_visible()


def test_a_route_that_cannot_be_asked_is_passed_over(page: Page, server: Server) -> None:
    server.stored["models"]["results"] = [offered(BIG, "Big"), offered(SMALL, "Small", is_on=False), offered(MOCK, "M")]
    ask(page, server)
    fail(server, BIG, SMALL, MOCK)
    expect(buttons(page).first).to_have_text("Try with M")


@pytest.mark.parametrize("code", ["PROVIDER_BAD_RESPONSE", "CAPABILITY_MISSING"])
def test_a_route_without_tools_is_not_offered_for_one_that_has_them(page: Page, server: Server, code: str) -> None:
    plain = offered(SMALL, "Small", capabilities=["chat", "streaming"])
    server.stored["models"]["results"] = [offered(BIG, "Big"), plain]
    ask(page, server)
    fail(server, BIG, SMALL, code=code)
    expect(buttons(page)).to_have_text(["Try again"])


def test_where_none_has_tools_the_next_one_is_offered(page: Page, server: Server) -> None:
    plain = [offered(route, name, capabilities=["chat"]) for route, name in ((BIG, "Big"), (SMALL, "Small"))]
    server.stored["models"]["results"] = plain
    ask(page, server)
    fail(server, BIG, SMALL)
    expect(buttons(page)).to_have_text(["Try with Small", "Try again"])


def test_without_another_route_the_same_is_tried_again(page: Page, server: Server) -> None:
    server.stored["models"]["results"] = [offered(BIG, "Big")]
    ask(page, server)
    fail(server, BIG)
    expect(buttons(page)).to_have_text(["Try again"])


def test_what_no_model_would_do_better_is_offered_to_none(page: Page, server: Server) -> None:
    ask(page, server)
    fail(server, BIG, SMALL, code="RUN_TIMEOUT")
    expect(buttons(page)).to_have_text(["Try again"])


def test_the_next_route_and_the_notice_are_there_after_a_reload(page: Page, server: Server) -> None:
    ask(page, server)
    fail(server, BIG, SMALL)
    expect(buttons(page).first).to_have_text("Try with Small")
    server.stored["conversations/c"] = {"conversation_id": "c", "title": "Talk", "open_run_id": None}
    server.stored["conversations/c/messages"] = stored_failure(change(reason="PROVIDER_AUTH_FAILED"))
    visit(page)
    expect(notice(page)).to_have_text("The key for Big was refused. Small takes over.")
    expect(buttons(page).first).to_have_text("Try again")
    server.stored["models"]["results"].append(offered(MOCK, "M"))
    visit(page)
    buttons(page).first.click()
    assert {key: server.wait_for("send", 2)[key] for key in MOCK} == MOCK


def test_the_bar_names_the_model_of_the_conversations_own_agent(page: Page, server: Server) -> None:
    ask(page, server)
    server.answer("Three.")
    server.stored["conversations/c"] = {"conversation_id": "c", "title": "T", "open_run_id": None, "agent": "sales"}
    server.stored["conversations/c/messages"] = stored_failure()
    server.stored["agents"] = {"results": [{"agent": "sales", "name": "Sam", "default": SMALL}]}
    visit(page)
    bar = page.get_by_role("combobox", name="Model").locator("option:checked")
    expect(bar).to_have_text("Small (default)")
    expect(page.get_by_text("It can be wrong. Check what matters.")).to_be_visible()
    page.get_by_role("button", name="New conversation").click()
    expect(bar).to_have_text("mock-1 (default)")
    expect(page.get_by_text("Offline demo model: it repeats what you write and follows scripts.")).to_be_visible()


def test_what_a_model_cannot_do_stands_beside_its_name(page: Page, server: Server) -> None:
    blind = offered(SMALL, "Small", capabilities=["chat", "streaming"])
    server.stored["models"]["results"] = [offered(BIG, "Big"), blind, offered(MOCK, "M", is_on=False)]
    open_drawer(page)
    entries = page.get_by_role("combobox", name="Model").locator("optgroup option")
    expect(entries).to_have_text(["Big", "Small · no tools · no pictures", "M (not available)"])
