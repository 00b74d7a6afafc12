"""The socket as a browser meets it: Daphne in a process of its own, on the test's database, over TCP."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.db import connection

from agentcore.models import Run
from conversations.models import Message
from tests.conversations.browser_end import BrowserEnd

pytestmark = pytest.mark.django_db(transaction=True)
ROOT = Path(__file__).resolve().parents[2]
SLOW_AFTER_S = 1.0
MEGABYTE = 1024 * 1024


def database_url() -> str:
    at = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{at['NAME']}"
    return f"postgres://{at['USER']}:{at['PASSWORD']}@{at['HOST']}:{at['PORT']}/{at['NAME']}"


@pytest.fixture(scope="module")
def daphne(django_db_setup):
    """The process, with its port."""
    environment = {**os.environ, "DATABASE_URL": database_url(), "DEBUG": "1"}
    command = [sys.executable, "-m", "tests.conversations.site", str(SLOW_AFTER_S)]
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
    process.port = int(process.stdout.readline())
    yield process
    process.terminate()
    process.wait(10)
    process.stdout.close()


@pytest.fixture
def headers(daphne, alice_client, agent):
    cookie = f"sessionid={alice_client.cookies['sessionid'].value}"
    return {"Origin": f"http://127.0.0.1:{daphne.port}", "Cookie": cookie}


@pytest.fixture
def browser(daphne, headers):
    with BrowserEnd(daphne.port, headers=headers) as end:
        assert end.status == 101
        yield end


def memory(process) -> int:
    """Resident bytes."""
    pages = Path(f"/proc/{process.pid}/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def answered(end, text, send_id="s1") -> list[dict]:
    """The events of a whole run."""
    end.say(type="send", text=text, send_id=send_id)
    assert end.told()["type"] == "accepted"
    events = []
    while not events or events[-1]["type"] not in {"RunCompleted", "RunFailed"}:
        events.append(end.told()["event"])
    return events


@pytest.mark.parametrize("origin", [None, "null", "https://evil.example", "http://127.0.0.1.evil.example"])
def test_a_foreign_origin_is_refused_with_403(daphne, headers, origin):
    del headers["Origin"]
    headers |= {"Origin": origin} if origin else {}
    with BrowserEnd(daphne.port, headers=headers) as end:
        assert end.status == 403


def test_without_a_login_the_close_code_is_4401(daphne, headers):
    del headers["Cookie"]
    with BrowserEnd(daphne.port, headers=headers) as end:
        assert (end.status, end.close_code()) == (101, 4401)


def test_a_logout_closes_the_socket_within_five_seconds(browser, alice_client):
    browser.say(type="ping")
    assert browser.told() == {"type": "pong"}
    alice_client.logout()
    browser._tcp.settimeout(5)
    assert browser.close_code() == 4401


def test_a_whole_turn_is_shown_and_stored(browser):
    events = answered(browser, "/stream 200 1")
    assert [event["sequence"] for event in events] == list(range(len(events)))
    text = "".join(event["data"]["text"] for event in events if event["type"] == "TextDelta")
    assert text == "".join(f"w{n} " for n in range(1, 201))
    assert Message.objects.get(role="assistant").text == text


@pytest.mark.parametrize("size", [2 * MEGABYTE, 10_000_000])
def test_an_oversized_frame_gets_an_error_and_the_socket_stays_open(browser, size):
    browser.say(type="send", send_id="s", text="x" * size)
    frame = browser.told()
    assert (frame["type"], frame["code"]) == ("error", "PAYLOAD_TOO_LARGE")
    browser.say(type="ping")
    assert browser.told() == {"type": "pong"}
    assert not Run.objects.exists()


def test_an_empty_and_a_binary_frame_get_an_error(browser):
    browser.send("")
    assert browser.told()["code"] == "VALIDATION_ERROR"
    browser.send("{}", kind=2)
    assert browser.told()["code"] == "VALIDATION_ERROR"


@pytest.mark.parametrize("send_id", ["a\ud800b", "a\x00b"])
def test_a_send_id_that_cannot_come_back_as_it_was_is_refused_and_nothing_runs(browser, send_id):
    browser.say(type="send", text="hi", send_id=send_id)
    frame = browser.told()
    assert (frame["type"], frame["code"], frame["send_id"]) == ("error", "VALIDATION_ERROR", "a\ufffdb")
    assert not Run.objects.exists()


@pytest.mark.parametrize(
    "frame",
    [
        {"type": "send", "text": "hi", "send_id": "s", "agent": "\ud800"},
        {"type": "send", "text": "hi", "send_id": "s", "allowed_tools": ["\ud800"]},
        {"type": "send", "text": "hi", "send_id": "s", "a\ud800": 1},
        {"type": "stop", "run_id": "\ud800"},
        {"type": "\ud800"},
    ],
)
def test_what_is_no_unicode_is_refused_in_a_frame_that_can_be_sent(browser, frame):
    browser.say(**frame)
    assert browser.told()["code"] in {"VALIDATION_ERROR", "NOT_FOUND"}
    assert not Run.objects.exists()


def test_a_frame_without_measure_closes_its_socket_and_harms_no_other(daphne, headers, browser):
    with BrowserEnd(daphne.port, headers=headers) as end:
        try:
            end.send("x" * (20 * MEGABYTE))
        except OSError:
            pass
        else:
            assert end.close_code() == 1009
    browser.say(type="ping")
    assert browser.told() == {"type": "pong"}


def test_a_reader_that_is_too_slow_is_closed_with_4408_bounded_in_memory_and_can_resume(daphne, headers, browser):
    events = answered(browser, "word " * 6000)
    run_id, size = events[0]["run_id"], sum(len(str(event)) for event in events)
    before = memory(daphne)
    with BrowserEnd(daphne.port, headers=headers, receive_buffer=4096) as slow:
        wanted = 40 * MEGABYTE // size
        try:
            for _ in range(wanted):
                slow.say(type="subscribe", run_id=run_id, after_sequence=-1)
                slow.say(type="ping")
        except OSError:
            pytest.fail("the server stopped reading")
        browser._tcp.settimeout(SLOW_AFTER_S + 10)
        assert slow.close_code() == 4408
    assert memory(daphne) - before < 10 * MEGABYTE
    browser.say(type="subscribe", run_id=run_id, after_sequence=events[-2]["sequence"])
    assert browser.told()["event"] == events[-1]
