"""The drawer in a real browser: its real files under the real policy; only the server at the other end is a fake."""

import json

import pytest
from playwright.sync_api import Page, expect

from tests.browser.far_end import ROOT, Server, ask, box, open_drawer, until, visit

pytestmark = pytest.mark.browser

CASE = next(case for line in (ROOT / "tests/data/cases.jsonl").open() if (case := json.loads(line))["id"] == "A49")


def test_an_injected_image_or_link_reaches_no_other_host(page: Page, server: Server) -> None:
    ask(page, server)
    server.answer(CASE["input"]["markdown"])
    answer = page.locator(".markdown")
    expect(answer.locator("a").first).to_be_visible()
    page.wait_for_timeout(200)
    assert [url for url in server.requested if "attacker.invalid" in url] == []
    assert page.locator("img").count() == CASE["expected"]["img_tags"]
    links = answer.locator("a").all()
    assert len(links) == 4
    for link in links:
        assert link.get_attribute("rel") == "noopener noreferrer nofollow"
        assert link.get_attribute("target") == "_blank"
        assert "attacker.invalid" in link.inner_text()


@pytest.mark.parametrize(
    "text",
    [
        "<script>window.hit = 1</script>",
        "<img src=x onerror='window.hit = 1'>",
        "<a href='javascript:window.hit = 1'>x</a>",
        "[x](javascript:window.hit=1)",
        "[x](data:text/html,<script>window.hit=1</script>)",
        "<svg><script>window.hit = 1</script></svg>",
        "<iframe srcdoc='<script>parent.hit = 1</script>'></iframe>",
        "<style>*{display:none}</style>",
        "<form action='https://attacker.invalid'><input name=x></form>",
        "![x](javascript:window.hit=1)",
        "```html\n<img src=x onerror=alert(1)>\n```",
        "<math><mtext></mtext><mglyph><style><img src=x onerror='window.hit=1'></style></mglyph></math>",
    ],
)
def test_markup_of_a_model_stays_text(text: str, page: Page, server: Server) -> None:
    ask(page, server)
    server.answer(f"before {text} after")
    expect(page.locator(".markdown")).to_contain_text("after")
    bad = "script, img, iframe, style, form, input, svg script, math, [onerror], a[href^=javascript], a[href^=data]"
    assert page.locator(".markdown").locator(bad).count() == 0
    assert page.evaluate("window.hit") is None


def test_finished_blocks_are_rendered_once(page: Page, server: Server) -> None:
    ask(page, server)
    server.event("RunStarted", input="hi")
    server.delta("First **block**.\n\nSecond")
    first = page.locator(".markdown p").first
    expect(page.locator(".markdown p")).to_have_count(2)
    first.evaluate("(element) => { element.kept = true; }")
    server.delta(" block.\n\n```py\nx = 1\n\ny = 2\n")
    expect(page.locator(".markdown figure code")).to_have_text("x = 1\n\ny = 2\n")
    server.delta("```\n\nThird")
    expect(page.locator(".markdown p")).to_have_count(3)
    assert first.evaluate("(element) => element.kept") is True


def test_enter_sends_and_shift_enter_does_not(page: Page, server: Server) -> None:
    open_drawer(page)
    box(page).press("Enter")
    box(page).type("one")
    box(page).press("Shift+Enter")
    box(page).type("two")
    box(page).press("Enter")
    assert server.wait_for("send")["text"] == "one\ntwo"
    assert [frame["type"] for frame in server.frames].count("send") == 1
    expect(box(page)).to_have_value("")


def test_enter_that_picks_a_candidate_of_an_input_method_does_not_send(page: Page, server: Server) -> None:
    open_drawer(page)
    session = page.context.new_cdp_session(page)
    session.send("Input.imeSetComposition", {"text": "ni", "selectionStart": 2, "selectionEnd": 2})
    enter = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 229}
    session.send("Input.dispatchKeyEvent", {"type": "rawKeyDown", **enter})
    session.send("Input.insertText", {"text": "你"})
    page.wait_for_timeout(100)
    assert not [frame for frame in server.frames if frame["type"] == "send"]
    box(page).press("Enter")
    assert server.wait_for("send")["text"] == "你"


def test_a_running_answer_can_be_stopped(page: Page, server: Server) -> None:
    ask(page, server)
    server.event("RunStarted", input="hi")
    server.delta("so far")
    page.get_by_role("button", name="Stop").click()
    assert server.wait_for("stop")["run_id"] == "r"
    server.event("RunCancelled", reason="user", output="so far")
    expect(page.get_by_text("You stopped this answer.")).to_be_visible()
    expect(page.get_by_role("button", name="Send")).to_be_visible()


def test_a_send_that_was_not_accepted_goes_out_again_with_the_same_id(page: Page, server: Server) -> None:
    open_drawer(page)
    box(page).fill("hi")
    box(page).press("Enter")
    first = server.wait_for("send")
    server.sockets[-1].close(code=1011)
    assert server.wait_for("send", 2)["send_id"] == first["send_id"]


def test_a_send_that_was_not_accepted_survives_a_reload(page: Page, server: Server) -> None:
    open_drawer(page)
    box(page).fill("hi")
    box(page).press("Enter")
    first = server.wait_for("send")
    visit(page)
    assert server.wait_for("send", 2)["send_id"] == first["send_id"]


def test_a_cut_connection_resumes_after_the_last_event_that_was_seen(page: Page, server: Server) -> None:
    ask(page, server)
    server.event("RunStarted", input="hi")
    server.delta("half")
    expect(page.locator(".markdown")).to_have_text("half")
    server.sockets[-1].close(code=4408)
    assert server.wait_for("subscribe")["after_sequence"] == 1
    server.delta(" and half")
    expect(page.locator(".markdown")).to_have_text("half and half")


def test_a_hole_in_the_events_is_refilled(page: Page, server: Server) -> None:
    ask(page, server)
    server.event("RunStarted", input="hi")
    server.sequence += 1
    server.delta("lost ahead")
    assert server.wait_for("subscribe") == {"type": "subscribe", "run_id": "r", "after_sequence": 0}


def test_a_reload_in_mid_answer_shows_the_same_text(page: Page, server: Server) -> None:
    ask(page, server)
    server.event("RunStarted", input="hi")
    server.delta("The answer")
    expect(page.locator(".markdown")).to_have_text("The answer")
    user = {
        "message_id": "u",
        "role": "user",
        "text": "hi",
        "contents": [],
        "run_id": "r",
        "created_at": "2026-01-01T10:00:00Z",
    }
    server.stored["conversations/c"] = {"conversation_id": "c", "title": "Talk", "open_run_id": "r"}
    server.stored["conversations/c/messages"] = {"results": [user], "next": None, "open_run_id": "r"}
    visit(page)
    assert server.wait_for("subscribe")["after_sequence"] == -1
    server.sequence = -1
    server.event("RunStarted", input="hi")
    server.delta("The answer")
    server.delta(" goes on")
    expect(page.locator(".markdown")).to_have_text("The answer goes on")
    expect(page.locator(".user-text")).to_have_text(["hi"])


def test_a_run_of_another_tab_is_followed(page: Page, server: Server) -> None:
    ask(page, server)
    server.answer("one")
    server.say(type="conversation", conversation_id="c", run_id="r2", state="running", title="Talk")
    assert server.wait_for("subscribe") == {"type": "subscribe", "run_id": "r2", "after_sequence": -1}
    expect(page.get_by_role("heading", name="Talk")).to_be_visible()


def test_a_tool_call_is_a_card_that_opens(page: Page, server: Server) -> None:
    ask(page, server)
    server.event("RunStarted", input="hi")
    server.event("ToolCallStarted", call_id="k", name="math.add", arguments={"left": 1, "right": 2}, summary="1 + 2")
    card = page.locator("details.card")
    expect(card).to_contain_text("Running")
    server.event("ToolCallCompleted", call_id="k", name="math.add", status="done", result={"sum": 3}, duration_ms=12)
    expect(card).to_contain_text("Done")
    expect(card).to_contain_text("12 ms")
    card.locator("summary").press("Enter")
    expect(card.locator("pre").last).to_have_text('{\n  "sum": 3\n}')


def test_a_card_shows_what_the_tool_has_for_a_person(page: Page, server: Server) -> None:
    ask(page, server)
    server.event("RunStarted", input="hi")
    server.event("ToolCallStarted", call_id="k", name="orders", arguments={}, summary="Orders")
    server.event("ToolCallCompleted", call_id="k", name="orders", status="done", result=[1], for_ui="One order")
    page.locator("details.card summary").press("Enter")
    expect(page.locator("details.card pre")).to_have_text("One order")


def test_a_card_that_opens_does_not_run_away(page: Page, server: Server) -> None:
    ask(page, server)
    server.event("RunStarted", input="hi")
    server.delta("line\n\n" * 60)
    server.event("ToolCallStarted", call_id="k", name="list", arguments={}, summary="Lists")
    server.event("ToolCallCompleted", call_id="k", name="list", status="done", result=list(range(60)))
    summary = page.locator("details.card summary")
    expect(summary).to_be_in_viewport()
    summary.click()
    page.wait_for_timeout(150)
    expect(summary).to_be_in_viewport()
    expect(page.get_by_role("button", name="New text")).to_be_hidden()


def test_an_error_says_what_happened_and_offers_to_try_again(page: Page, server: Server) -> None:
    ask(page, server)
    server.event("RunStarted", input="hi")
    server.delta("partly")
    server.event("RunFailed", error={"code": "PROVIDER_TIMEOUT", "message": ""}, output="partly")
    expect(page.get_by_text("The model did not answer in time.")).to_be_visible()
    expect(page.locator(".markdown")).to_have_text("partly")
    page.get_by_role("button", name="Try again").click()
    again = server.wait_for("send", 2)
    assert (again["text"], again["conversation_id"]) == ("hi", "c")


def test_a_refused_send_keeps_the_words_and_says_why(page: Page, server: Server) -> None:
    open_drawer(page)
    box(page).fill("too much")
    box(page).press("Enter")
    send = server.wait_for("send")
    server.say(type="error", code="TOO_MANY_RUNS", message="Four answers are being written.", send_id=send["send_id"])
    expect(page.get_by_text("Four answers are being written.")).to_be_visible()
    expect(page.locator(".user-text")).to_have_text("too much")
    expect(page.get_by_role("button", name="Send")).to_be_visible()


def test_the_end_of_the_login_asks_to_log_in(page: Page, server: Server) -> None:
    open_drawer(page)
    server.wait_for("ping")
    server.sockets[-1].close(code=4401)
    expect(page.get_by_role("link", name="Log in")).to_be_visible()
    assert len(server.sockets) == 1


def test_a_reader_who_scrolled_up_is_left_alone(page: Page, server: Server) -> None:
    ask(page, server)
    server.event("RunStarted", input="hi")
    server.delta("line\n\n" * 80)
    scroller = page.get_by_role("region", name="Conversation")
    at_bottom = "(e) => e.scrollHeight - e.scrollTop - e.clientHeight < 4"
    until(page, f"() => ({at_bottom})(document.querySelector('steward-drawer').shadowRoot.querySelector('.scroller'))")
    scroller.hover()
    page.mouse.wheel(0, -600)
    page.wait_for_timeout(150)
    before = scroller.evaluate("(e) => e.scrollTop")
    server.delta("more\n\n" * 20)
    page.get_by_role("button", name="New text").wait_for()
    assert scroller.evaluate("(e) => e.scrollTop") == before
    page.get_by_role("button", name="New text").click()
    assert scroller.evaluate(at_bottom)


def test_escape_closes_and_gives_the_focus_back(page: Page, server: Server) -> None:
    open_drawer(page)
    expect(box(page)).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page.get_by_role("button", name="Ask Steward")).to_be_focused()


def test_the_drawer_is_remembered_open(page: Page, server: Server) -> None:
    open_drawer(page)
    visit(page)
    expect(page.get_by_role("dialog")).to_be_visible()


def test_beside_the_page_on_a_wide_window_and_modal_on_a_narrow_one(page: Page, server: Server) -> None:
    open_drawer(page)
    modal = "document.querySelector('steward-drawer').shadowRoot.querySelector('dialog').matches(':modal')"
    assert page.evaluate(modal) is False
    page.set_viewport_size({"width": 390, "height": 800})
    until(page, f"() => {modal}")
    edges = page.get_by_role("dialog").bounding_box()
    assert edges == {"x": 0, "y": 0, "width": 390, "height": 800}


def test_a_screen_reader_hears_blocks_and_not_tokens(page: Page, server: Server) -> None:
    ask(page, server)
    page.evaluate(
        "() => { window.heard = []; const live = document.querySelector('steward-drawer').shadowRoot"
        ".querySelector('[aria-live]'); new MutationObserver(() => heard.push(live.textContent))"
        ".observe(live, {childList: true}); }"
    )
    server.event("RunStarted", input="hi")
    for word in range(40):
        server.delta(f"w{word} ")
    server.event("MessageCompleted", message_id="m", text=" ".join(f"w{word}" for word in range(40)))
    server.event("RunCompleted", output="", finish_reason="stop")
    page.wait_for_timeout(900)
    heard = page.evaluate("window.heard")
    assert len(heard) <= 3
    assert "w0 w1 w2" in " ".join(heard)
    assert " ".join(heard).count("w39") == 1


def test_a_suggestion_is_sent(page: Page, server: Server) -> None:
    open_drawer(page)
    page.get_by_role("button", name="What is new?").click()
    assert server.wait_for("send")["text"] == "What is new?"


def test_the_chosen_model_goes_with_the_message(page: Page, server: Server) -> None:
    model = {"provider_id": "mock", "model": "mock-1", "name": "Mock", "available": True, "reason": None}
    other = {"provider_id": "far", "model": "big", "name": "Big", "available": False, "reason": "No key"}
    server.stored["models"] = {"results": [model, other]}
    open_drawer(page)
    page.get_by_role("combobox", name="Model").select_option("mock/mock-1")
    expect(page.get_by_role("option", name="Big (not available)")).to_be_disabled()
    box(page).fill("hi")
    box(page).press("Enter")
    send = server.wait_for("send")
    assert (send["provider_id"], send["model"]) == ("mock", "mock-1")
