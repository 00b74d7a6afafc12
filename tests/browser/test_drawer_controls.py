"""The drawer's controls in a real browser: each tells what it does, and loses nothing that a person did."""

from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.far_end import MOCK, Server, ask, box, open_drawer, until, visit

pytestmark = pytest.mark.browser

REAL = {"provider_id": "near", "model": "big", "name": "Big", "available": True, "reason": None}
ACTIVE = "document.activeElement?.shadowRoot?.activeElement ?? document.activeElement"


def offline_note(page: Page) -> Locator:
    return page.get_by_role("complementary", name="This is the offline demo model")


def stored_answer(rating: str | None = None) -> list[dict[str, Any]]:
    at, feedback = {"run_id": "r", "created_at": "2026-01-01T10:00:00Z"}, rating and {"rating": rating, "comment": ""}
    asked = {"message_id": "u", "role": "user", "text": "hi", "contents": [], "feedback": None}
    called = {"type": "function_call", "call_id": "k", "name": "orders", "arguments": {}}
    returned = {"type": "function_result", "call_id": "k", "name": "orders", "result": [1], "status": "done"}
    return [
        asked | at,
        {"message_id": "q", "role": "assistant", "text": "", "contents": [called], "feedback": None} | at,
        {"message_id": "t", "role": "tool", "text": "", "contents": [returned], "feedback": None} | at,
        {"message_id": "m", "role": "assistant", "text": "Three.", "contents": [], "feedback": feedback} | at,
    ]


def store(server: Server, messages: list[dict[str, Any]], calls: list[dict[str, Any]]) -> None:
    line = {"status": "completed", "usage": None, "cost": None, "currency": "USD", "error": None, "tool_calls": calls}
    server.stored["conversations/c"] = {"conversation_id": "c", "title": "Talk", "open_run_id": None}
    server.stored["conversations/c/messages"] = {
        "results": messages, "next": None, "open_run_id": None, "runs": {"r": line},
    }  # fmt: skip


def test_a_model_that_only_follows_a_script_is_named_with_the_way_to_a_real_one(page: Page, server: Server) -> None:
    open_drawer(page)
    expect(page.get_by_role("combobox", name="Model")).to_have_text("mock-1 (default)")
    expect(offline_note(page)).to_contain_text("it repeats what you write")
    expect(offline_note(page)).to_contain_text("Ask Bo.")
    expect(page.get_by_text("Offline demo model: it repeats what you write and follows scripts.")).to_be_visible()


def test_a_real_model_is_not_called_a_script(page: Page, server: Server) -> None:
    server.stored["models"] = {"results": [MOCK | {"name": "Mock", "available": True, "reason": None}, REAL]}
    open_drawer(page)
    page.get_by_role("combobox", name="Model").select_option("near/big")
    expect(offline_note(page)).to_be_hidden()
    expect(page.get_by_text("It can be wrong. Check what matters.")).to_be_visible()


def test_a_script_is_suggested_in_words(page: Page, server: Server) -> None:
    open_drawer(page)
    page.get_by_role("button", name="Show a tool").click()
    assert server.wait_for("send")["text"] == "/tool x {}"


def test_scripts_are_suggested_only_for_the_model_that_follows_them(page: Page, server: Server) -> None:
    server.stored["models"] = {"results": [MOCK | {"name": "Mock", "available": True, "reason": None}, REAL]}
    open_drawer(page)
    page.get_by_role("combobox", name="Model").select_option("near/big")
    expect(page.locator(".chip")).to_have_text(["What is new?"])
    page.get_by_role("combobox", name="Model").select_option("")
    expect(page.locator(".chip")).to_have_count(2)


def test_a_site_without_suggestions_promises_none(page: Page, server: Server) -> None:
    server.suggestions = []
    open_drawer(page)
    expect(page.get_by_text("Ask Steward a question.", exact=True)).to_be_visible()
    expect(page.get_by_role("list", name="Suggestions")).to_have_count(0)


def test_a_model_that_went_away_gives_its_place_to_the_default_and_keeps_the_words(page: Page, server: Server) -> None:
    server.stored["models"] = {"results": [MOCK | {"name": "Mock", "available": True, "reason": None}, REAL]}
    open_drawer(page)
    page.get_by_role("combobox", name="Model").select_option("near/big")
    box(page).fill("precious words")
    box(page).press("Enter")
    server.stored["models"]["results"].pop()
    words = "There is no provider of that name."
    server.say(type="error", code="NOT_FOUND", message=words, send_id=server.wait_for("send")["send_id"])
    expect(page.get_by_text("Choose another model, or tell your administrator.")).to_be_visible()
    expect(page.get_by_text("Begin a new conversation.")).to_have_count(0)
    expect(box(page)).to_have_value("precious words")
    expect(page.get_by_role("combobox", name="Model")).to_have_value("")
    expect(page.locator("option[value='near/big']")).to_have_count(0)
    box(page).press("Enter")
    assert "provider_id" not in server.wait_for("send", 2)


def test_a_conversation_with_another_agent_is_named_after_it(page: Page, server: Server) -> None:
    ask(page, server)
    server.answer("Three.")
    store(server, stored_answer(), [])
    server.stored["conversations/c"]["agent"] = "sales"
    server.stored["agents"] = {"results": [{"agent": "sales", "name": "Sam"}]}
    visit(page)
    expect(page.locator(".subtitle")).to_have_text("Sam")
    expect(page.get_by_role("textbox", name="Message Sam")).to_be_visible()
    page.get_by_role("button", name="New conversation").click()
    expect(page.get_by_role("heading", name="Steward")).to_be_visible()
    expect(box(page)).to_be_visible()


@pytest.mark.parametrize(
    ("code", "words", "advice"),
    [
        ("PROVIDER_RATE_LIMITED", "The provider is receiving too many requests. Please try again in a moment.", []),
        (
            "PROVIDER_AUTH_FAILED",
            "The provider refused our key. An admin can replace it under Credentials.",
            ["Choose another model."],
        ),
    ],
)
def test_advice_that_the_servers_words_give_is_not_doubled(
    page: Page, server: Server, code: str, words: str, advice: list[str]
) -> None:
    ask(page, server)
    server.event("RunStarted", input="hi")
    server.event("RunFailed", error={"code": code, "message": words}, output="")
    expect(page.locator(".error-title")).to_have_text(words)
    expect(page.locator(".error-advice")).to_have_text(advice)


def test_a_long_title_of_a_card_takes_a_second_line_and_keeps_its_date(page: Page, server: Server) -> None:
    ask(page, server)
    server.event("RunStarted", input="hi")
    long = "Flights from Guangzhou to San Francisco (2026-12-01)"
    server.event("ToolCallStarted", call_id="k", name="f", arguments={}, summary=long)
    line = page.locator(".card-line")
    expect(line).to_have_text(long)
    assert line.evaluate("(e) => e.scrollHeight <= e.clientHeight && e.clientHeight > 30")


def test_a_card_is_the_same_after_a_reload(page: Page, server: Server) -> None:
    ask(page, server)
    server.answer("Three.")
    shown = {"call_id": "k", "summary": "Orders of Ada", "duration_ms": 1234, "for_ui": "One order"}
    store(server, stored_answer(), [shown])
    visit(page)
    card = page.locator("details.card")
    expect(card).to_contain_text("Orders of Ada")
    expect(card).to_contain_text("1.2 s")
    card.locator("summary").press("Enter")
    expect(card.locator("pre")).to_have_text("One order")


def test_a_stopped_call_claims_no_time(page: Page, server: Server) -> None:
    ask(page, server)
    server.event("RunStarted", input="hi")
    server.event("ToolCallStarted", call_id="k", name="wait", arguments={}, summary="Waits")
    server.event("ToolCallCompleted", call_id="k", name="wait", status="cancelled", result=None, duration_ms=0)
    expect(page.locator("details.card")).to_contain_text("Cancelled")
    expect(page.locator(".card-time")).to_have_text("")


@pytest.mark.parametrize("width", [1280, 390])
def test_a_reload_leaves_the_controls_of_an_open_drawer_alone(page: Page, server: Server, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    open_drawer(page)
    visit(page)
    expect(page.get_by_role("dialog")).to_be_visible()
    assert page.evaluate(f"({ACTIVE}).tagName") in ("BODY", "DIALOG")


def test_a_drawer_that_a_person_opens_is_ready_to_write_in(page: Page, server: Server) -> None:
    open_drawer(page)
    expect(box(page)).to_be_focused()


@pytest.mark.parametrize(("width", "height"), [(390, 700), (740, 360), (568, 320)])
def test_a_phone_reaches_every_word_and_the_composer(page: Page, server: Server, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    open_drawer(page)
    assert page.get_by_role("dialog").evaluate("(e) => e.matches(':modal')")
    expect(page.get_by_role("button", name="Send")).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("heading", name="Hello, Ada.")).to_be_in_viewport(ratio=1)
    last = offline_note(page).get_by_text("Ask Bo.")
    last.scroll_into_view_if_needed()
    expect(last).to_be_in_viewport(ratio=1)
    hint = page.locator(".hint-warning")
    expect(hint).to_be_in_viewport(ratio=1)
    assert hint.evaluate("(e) => e.scrollWidth <= e.parentElement.clientWidth")


def test_a_refusal_that_says_what_to_do_says_it_once(page: Page, server: Server) -> None:
    open_drawer(page)
    box(page).fill("hi")
    box(page).press("Enter")
    words = "An answer is still being written in this conversation. Stop it or wait for it."
    server.say(type="error", code="CONVERSATION_BUSY", message=words, send_id=server.wait_for("send")["send_id"])
    expect(page.get_by_text(words)).to_have_count(1)
    expect(page.locator(".error-advice")).to_have_count(0)
    expect(page.get_by_role("button", name="Try again")).to_be_visible()


def test_a_stop_while_the_server_is_away_is_said_and_done_when_it_is_back(page: Page, server: Server) -> None:
    ask(page, server)
    server.event("RunStarted", input="hi")
    server.delta("half")
    expect(page.locator(".markdown")).to_have_text("half")
    server.is_away = True
    server.sockets[-1].close(code=1011)
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_text("Stopping when the connection is back…")).to_be_visible()
    expect(page.get_by_role("button", name="Stopping…")).to_have_attribute("aria-disabled", "true")
    assert not [frame for frame in server.frames if frame["type"] == "stop"]
    server.is_away = False
    assert server.wait_for("stop")["run_id"] == "r"
    server.event("RunCancelled", reason="user", output="half")
    expect(page.get_by_text("You stopped this answer.")).to_be_visible()
    expect(page.get_by_role("button", name="Send")).to_be_visible()


def test_a_server_that_stays_away_is_said_though_it_is_tried_again_and_again(page: Page, server: Server) -> None:
    page.clock.install()
    ask(page, server)
    server.is_away = True
    server.sockets[-1].close(code=1011)
    notice = page.get_by_text("Reconnecting…")
    until(page, "document.querySelector('steward-drawer').session.connection === 'waiting'")
    page.clock.run_for(100)
    expect(notice).to_be_hidden()
    page.clock.run_for(900)
    expect(notice).to_be_visible()


def test_a_text_that_is_too_long_stays_and_is_not_sent(page: Page, server: Server) -> None:
    open_drawer(page)
    box(page).fill("x" * 401)
    box(page).press("Enter")
    expect(page.get_by_role("alert").get_by_text("401 characters are too many: 400 fit.")).to_be_visible()
    expect(page.get_by_role("button", name="Send")).to_be_disabled()
    expect(box(page)).to_have_value("x" * 401)
    assert not [frame for frame in server.frames if frame["type"] == "send"]
    box(page).fill("😀" * 400)
    expect(page.get_by_role("alert")).to_be_hidden()
    box(page).press("Enter")
    assert server.wait_for("send")["text"] == "😀" * 400


def test_the_words_of_a_refused_send_come_back(page: Page, server: Server) -> None:
    open_drawer(page)
    box(page).fill("precious words")
    box(page).press("Enter")
    send = server.wait_for("send")
    box(page).type("and more")
    server.say(type="error", code="PAYLOAD_TOO_LARGE", message="", send_id=send["send_id"])
    expect(box(page)).to_have_value("precious words\n\nand more")
    expect(page.get_by_role("button", name="Send")).to_be_enabled()
    box(page).press("Enter")
    assert server.wait_for("send", 2)["text"] == "precious words\n\nand more"
    expect(page.locator(".user-text")).to_have_text(["precious words\n\nand more"])


def test_words_that_are_tried_again_leave_the_composer(page: Page, server: Server) -> None:
    open_drawer(page)
    box(page).fill("precious words")
    box(page).press("Enter")
    server.say(type="error", code="TOO_MANY_RUNS", message="", send_id=server.wait_for("send")["send_id"])
    expect(box(page)).to_have_value("precious words")
    page.get_by_role("button", name="Try again").click()
    assert server.wait_for("send", 2)["text"] == "precious words"
    expect(box(page)).to_have_value("")


def test_an_answer_is_rated_and_the_rating_taken_back(page: Page, server: Server) -> None:
    ask(page, server)
    server.stored["conversations/c/messages/m/feedback"] = {"rating": "up", "comment": ""}
    server.answer("Three.")
    up, down = page.get_by_role("button", name="Good answer"), page.get_by_role("button", name="Bad answer")
    up.click()
    expect(up).to_have_attribute("aria-pressed", "true")
    expect(up).to_be_focused()
    down.click()
    expect(up).to_have_attribute("aria-pressed", "false")
    down.click()
    expect(down).to_have_attribute("aria-pressed", "false")
    page.wait_for_timeout(100)
    address = "conversations/c/messages/m/feedback"
    assert server.posted == [(address, {"rating": rating}) for rating in ("up", "down", None)]


def test_a_rating_is_kept_after_a_reload(page: Page, server: Server) -> None:
    ask(page, server)
    server.answer("Three.")
    store(server, stored_answer("down"), [])
    visit(page)
    expect(page.get_by_role("button", name="Bad answer")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("button", name="Good answer")).to_have_attribute("aria-pressed", "false")


def test_a_rating_that_the_server_refuses_is_taken_back_and_said(page: Page, server: Server) -> None:
    ask(page, server)
    server.answer("Three.")
    page.get_by_role("button", name="Good answer").click()
    expect(page.get_by_text("Not found.")).to_be_visible()
    expect(page.get_by_role("button", name="Good answer")).to_have_attribute("aria-pressed", "false")


def test_only_an_answer_that_came_to_its_end_is_rated(page: Page, server: Server) -> None:
    ask(page, server)
    server.event("RunStarted", input="hi")
    server.event("RunFailed", error={"code": "PROVIDER_TIMEOUT", "message": ""}, output="")
    expect(page.get_by_role("button", name="Try again")).to_be_visible()
    expect(page.get_by_role("button", name="Good answer")).to_have_count(0)


def test_the_answer_and_its_code_can_be_copied(page: Page, server: Server) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    ask(page, server)
    server.answer("See:\n\n```python\nx = 1\n```\n")
    page.get_by_role("button", name="Copy the code").click()
    until(page, "async () => (await navigator.clipboard.readText()).trim() === 'x = 1'")
    page.get_by_role("button", name="Copy the answer").click()
    until(page, "async () => (await navigator.clipboard.readText()).startsWith('See:')")
