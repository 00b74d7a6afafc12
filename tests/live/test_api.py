"""The run endpoints as a program sees them."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from agentcore.ids import uuid7
from tests.site import Site

pytestmark = pytest.mark.database


def frames(text: str) -> list[dict[str, Any]]:
    """The envelopes of a stream of server-sent events."""
    lines = [line for line in text.split("\n") if line.startswith("data: ")]
    return [json.loads(line.removeprefix("data: ")) for line in lines]


def run_to_end(client: httpx.Client, **fields: Any) -> tuple[str, list[dict[str, Any]]]:
    run_id = client.post("/api/agent/runs", json=fields).raise_for_status().json()["run_id"]
    return run_id, frames(client.get(f"/api/agent/runs/{run_id}/events").text)


def test_run_by_http_streams_stored_events_and_ends(client: httpx.Client) -> None:
    run_id, events = run_to_end(client, input="hello")

    assert [event["sequence"] for event in events] == list(range(len(events)))
    assert events[-1]["type"] == "RunCompleted"
    assert client.get(f"/api/agent/runs/{run_id}/trace").json()["events"] == events


@pytest.mark.parametrize(
    ("headers", "query", "first"),
    [
        ({"Last-Event-ID": "3"}, "", 4),
        ({}, "?after_sequence=3", 4),
        ({"Last-Event-ID": "3"}, "?after_sequence=1", 4),
        ({"Last-Event-ID": ""}, "", 0),
        ({}, "?after_sequence=-1", 0),
        ({"Last-Event-ID": "99999"}, "", None),
    ],
)
def test_stream_resumes_after_a_sequence(
    client: httpx.Client, headers: dict[str, str], query: str, first: int | None
) -> None:
    run_id, _events = run_to_end(client, input="/stream 20 20")

    resumed = frames(client.get(f"/api/agent/runs/{run_id}/events{query}", headers=headers).text)

    assert (resumed[0]["sequence"] if resumed else None) == first


@pytest.mark.parametrize("bad", ["abc", "-7", str(2**70), "1.5", "٣", "1e3"])
def test_bad_resume_value_is_400(client: httpx.Client, bad: str) -> None:
    run_id, _events = run_to_end(client, input="hello")

    answer = client.get(f"/api/agent/runs/{run_id}/events", params={"after_sequence": bad})

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "VALIDATION_ERROR")


def test_stream_headers_keep_proxies_and_compression_away(client: httpx.Client) -> None:
    run_id, _events = run_to_end(client, input="hello")

    headers = client.get(f"/api/agent/runs/{run_id}/events", headers={"Accept-Encoding": "gzip"}).headers

    assert headers["content-type"] == "text/event-stream"
    assert headers["cache-control"] == "no-cache, no-transform"
    assert headers["x-accel-buffering"] == "no"
    assert headers["content-encoding"] == "identity"


def test_run_of_somebody_else_is_unknown_also_to_staff(site: Site, client: httpx.Client) -> None:
    run_id, _events = run_to_end(client, input="hello")

    for name in ("operator", "admin"):
        other = site.login(name)
        reads = [other.get(f"/api/agent/runs/{run_id}{path}") for path in ("", "/events", "/trace")]
        answers = [*reads, other.post(f"/api/agent/runs/{run_id}/cancel")]
        assert [answer.status_code for answer in answers] == [404] * 4
    assert client.get(f"/api/agent/runs/{uuid7()}").status_code == 404


@pytest.mark.parametrize(
    ("fields", "status", "code"),
    [
        ({"input": ""}, 400, "VALIDATION_ERROR"),
        ({"input": " \n\t "}, 400, "VALIDATION_ERROR"),
        ({}, 400, "VALIDATION_ERROR"),
        ({"input": 5}, 400, "VALIDATION_ERROR"),
        ({"input": "x", "surprise": 1}, 400, "VALIDATION_ERROR"),
        ({"input": "x", "max_steps": 0}, 400, "VALIDATION_ERROR"),
        ({"input": "x", "send_id": ""}, 400, "VALIDATION_ERROR"),
        ({"input": "x", "send_id": "s" * 65}, 400, "VALIDATION_ERROR"),
        ({"input": "x", "conversation_id": "no"}, 400, "VALIDATION_ERROR"),
        ({"input": "x", "allowed_tools": ["nope"]}, 400, "VALIDATION_ERROR"),
        ({"input": "x" * 32001}, 413, "PAYLOAD_TOO_LARGE"),
        ({"input": "x" * 10_000_000}, 413, "PAYLOAD_TOO_LARGE"),
        ({"input": "x", "conversation_id": "01980000-0000-7000-8000-000000000000"}, 404, "NOT_FOUND"),
        ({"input": "x", "agent": "nobody"}, 404, "NOT_FOUND"),
        ({"input": "x", "provider_id": "nowhere"}, 404, "NOT_FOUND"),
        ({"input": "x", "provider_id": "local"}, 404, "NOT_FOUND"),
        ({"input": "x", "model": "no-such-model"}, 404, "NOT_FOUND"),
    ],
)
def test_bad_input_is_refused_and_nothing_is_stored(
    client: httpx.Client, fields: dict[str, Any], status: int, code: str
) -> None:
    before = client.get("/api/conversations").json()

    answer = client.post("/api/agent/runs", json=fields)

    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    assert client.get("/api/conversations").json() == before


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/api/nowhere", 404), ("GET", "/api/agent/runs", 405), ("POST", "/api/agent/runs", 400)],
)
def test_every_error_has_the_one_shape(client: httpx.Client, method: str, path: str, status: int) -> None:
    answer = client.request(method, path, content=b"{")

    assert answer.status_code == status
    assert set(answer.json()["error"]) == {"code", "message", "details", "request_id"}
    assert answer.json()["error"]["request_id"] == answer.headers["x-request-id"]


def test_anonymous_and_missing_csrf_are_told_apart(site: Site, client: httpx.Client) -> None:
    anonymous = httpx.post(f"{site.url}/api/agent/runs", json={"input": "x"})
    forged = client.post("/api/agent/runs", json={"input": "x"}, headers={"X-CSRFToken": "no"})

    assert (anonymous.status_code, anonymous.json()["error"]["code"]) == (401, "NOT_AUTHENTICATED")
    assert (forged.status_code, forged.json()["error"]["code"]) == (403, "FORBIDDEN")


@pytest.mark.parametrize("path", ["/api/agent/runs", "/api/conversations"])
@pytest.mark.parametrize("body", [b"[" * 100_000, b'{"title": ' * 5000, b"\xff"], ids=["list", "object", "utf-8"])
def test_body_that_no_parser_takes_is_400(client: httpx.Client, path: str, body: bytes) -> None:
    answer = client.post(path, content=body, headers={"Content-Type": "application/json"})

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "VALIDATION_ERROR")


def test_form_is_no_json(client: httpx.Client) -> None:
    token = client.headers.pop("X-CSRFToken")
    try:
        answer = client.post("/api/agent/runs", data={"csrfmiddlewaretoken": token}, files={"input": b"x"})
    finally:
        client.headers["X-CSRFToken"] = token

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "VALIDATION_ERROR")


def test_text_of_marks_alone_has_a_title(client: httpx.Client) -> None:
    assert client.post("/api/agent/runs", json={"input": "a" + "\u0301" * 1000}).status_code == 201


def test_nul_and_lone_surrogates_are_stored_as_replacement_characters(client: httpx.Client) -> None:
    body = rb'{"input": "a\u0000b \ud800 c"}'
    answer = client.post("/api/agent/runs", content=body, headers={"Content-Type": "application/json"})
    run_id = answer.json()["run_id"]

    events = frames(client.get(f"/api/agent/runs/{run_id}/events").text)

    assert answer.json()["input"] == "a�b � c"
    assert events[-1]["data"]["output"] == "You said: a�b � c"


def test_parallel_sends_with_one_send_id_make_one_run(client: httpx.Client) -> None:
    barrier = threading.Barrier(5)
    send_id = uuid7().hex

    def send(_number: int) -> httpx.Response:
        barrier.wait()
        return client.post("/api/agent/runs", json={"input": "once", "send_id": send_id})

    before = len(client.get("/api/conversations").json()["results"])
    with ThreadPoolExecutor(5) as pool:
        answers = list(pool.map(send, range(5)))

    assert sorted(answer.status_code for answer in answers) == [200, 200, 200, 200, 201]
    assert len({answer.json()["run_id"] for answer in answers}) == 1
    other = client.post("/api/agent/runs", json={"input": "other", "send_id": send_id})
    assert (other.status_code, other.json()["error"]["code"]) == (409, "CONFLICT")
    conversations = {answer.json()["conversation_id"] for answer in answers}
    assert len(conversations) == 1
    assert len(client.get("/api/conversations").json()["results"]) == before + 1


def test_second_run_in_a_busy_conversation_is_refused_until_the_first_is_stopped(client: httpx.Client) -> None:
    first = client.post("/api/agent/runs", json={"input": "/stream 1000 20"}).json()
    fields = {"input": "me too", "conversation_id": first["conversation_id"]}

    busy = client.post("/api/agent/runs", json=fields)
    client.post(f"/api/agent/runs/{first['run_id']}/cancel").raise_for_status()
    events = frames(client.get(f"/api/agent/runs/{first['run_id']}/events").text)

    assert (busy.status_code, busy.json()["error"]["code"]) == (409, "CONVERSATION_BUSY")
    assert (events[-1]["type"], events[-1]["data"]["reason"]) == ("RunCancelled", "user")
    assert client.post("/api/agent/runs", json=fields).status_code == 201


def test_too_many_runs_of_one_user_are_refused_with_retry_after(client: httpx.Client) -> None:
    for _number in range(4):
        client.post("/api/agent/runs", json={"input": "/stream 1000 20"}).raise_for_status()

    fifth = client.post("/api/agent/runs", json={"input": "one more"})

    assert (fifth.status_code, fifth.json()["error"]["code"]) == (429, "TOO_MANY_RUNS")
    assert int(fifth.headers["retry-after"]) >= 1


def test_allowed_tools_narrow_what_the_agent_may_use(client: httpx.Client) -> None:
    _run_id, events = run_to_end(client, input='/tool math.add {"left": 1, "right": 2}', allowed_tools=[])

    completed = [event["data"] for event in events if event["type"] == "ToolCallCompleted"]

    assert [data["error"]["code"] for data in completed] == ["TOOL_NOT_FOUND"]
    assert events[0]["data"]["config"]["tools"] == []


def test_limits_can_be_lowered_and_not_raised(client: httpx.Client) -> None:
    _run_id, events = run_to_end(client, input="hello", max_steps=999, timeout_s=5)

    limits = events[0]["data"]["config"]["limits"]

    assert (limits["max_steps"], limits["timeout_s"]) == (10, 5)


def test_running_run_tells_how_far_it_is(client: httpx.Client) -> None:
    run_id = client.post("/api/agent/runs", json={"input": "/stream 1000 20"}).json()["run_id"]
    with client.stream("GET", f"/api/agent/runs/{run_id}/events") as stream:
        next(line for line in stream.iter_lines() if line == "event: TextDelta")

    run = client.get(f"/api/agent/runs/{run_id}").json()

    assert (run["status"], run["last_sequence"] >= 2) == ("running", True)
