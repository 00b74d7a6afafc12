"""What a person thinks of an answer, and what a thread tells of its runs."""

from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from agentcore import messages as kernel
from agentcore.ids import uuid7
from agentcore.models import Run, RunEvent
from conversations.models import Feedback, Message
from conversations.store import DatabaseConversationStore

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def turn(user: Any, conversation_id: UUID | None = None, **fields: Any) -> Run:
    """A run with its question and its answer, as the ground stores them."""
    run_id, store = uuid7(), DatabaseConversationStore()
    asked, answered = kernel.Message.of("user", "Where to?"), kernel.Message.of("assistant", "Oslo.")
    conversation = store.turn_open(
        run_id=run_id, conversation_id=conversation_id, user=user, agent="assistant", message=asked
    )
    store.turn_close(run_id=run_id, conversation_id=conversation, messages=[answered], status="completed")
    kept = {"status": "completed"} | fields
    return Run.objects.create(id=run_id, user=user, conversation_id=conversation, agent="assistant", **kept)


def messages_of(client: Client, run: Run) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.get(f"/api/conversations/{run.conversation_id}/messages").json()["results"]
    return found


def give(client: Client, run: Run, body: Any, *, role: str = "assistant", slash: str = "") -> Any:
    message = Message.objects.get(run_id=run.pk, role=role)
    address = f"/api/conversations/{run.conversation_id}/messages/{message.pk}/feedback{slash}"
    return client.post(address, body, content_type="application/json")


def error_of(response: Any) -> tuple[int, str]:
    return response.status_code, response.json()["error"]["code"]


@pytest.mark.parametrize("slash", ["", "/"])
@pytest.mark.parametrize(
    ("body", "stored"),
    [
        ({"rating": "up"}, {"rating": "up", "comment": ""}),
        ({"rating": "down", "comment": "It rains there."}, {"rating": "down", "comment": "It rains there."}),
        ({"rating": None, "comment": "Hm."}, {"rating": None, "comment": "Hm."}),
    ],
)
def test_feedback_is_stored_answered_and_shown_with_the_message(
    browser: Client, ada: Any, body: dict[str, Any], stored: dict[str, Any], slash: str
) -> None:
    run = turn(ada)

    answer = give(browser, run, body, slash=slash)

    assert (answer.status_code, answer.json()) == (200, stored)
    assert [message["feedback"] for message in messages_of(browser, run)] == [None, stored]


def test_feedback_replaces_what_was_said_before_and_null_takes_it_back(browser: Client, ada: Any) -> None:
    run = turn(ada)
    give(browser, run, {"rating": "down", "comment": "No."})

    assert give(browser, run, {"rating": "up"}).json() == {"rating": "up", "comment": ""}
    assert Feedback.objects.count() == 1
    assert give(browser, run, {"rating": None}).json() == {"rating": None, "comment": ""}
    assert Feedback.objects.count() == 0
    assert messages_of(browser, run)[-1]["feedback"] is None


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"comment": "x"},
        {"rating": "sideways"},
        {"rating": "\ud800"},
        {"rating": 1},
        {"rating": ["up"]},
        {"rating": "up", "comment": "x" * 2001},
        {"rating": "up", "comment": "a\x00b"},
        {"rating": "up", "comment": None},
        [],
        "{",
    ],
)
def test_wrong_feedback_is_refused_and_nothing_is_stored(browser: Client, ada: Any, body: Any) -> None:
    assert error_of(give(browser, turn(ada), body)) == (400, "VALIDATION_ERROR")
    assert Feedback.objects.count() == 0


def test_only_answers_are_rated(browser: Client, ada: Any) -> None:
    assert error_of(give(browser, turn(ada), {"rating": "up"}, role="user")) == (400, "VALIDATION_ERROR")


def test_another_persons_answer_is_not_found_also_by_way_of_an_own_conversation(
    browser: Client, ada: Any, eve: Any
) -> None:
    own, foreign = turn(ada), turn(eve)
    message = Message.objects.get(run_id=foreign.pk, role="assistant")
    for conversation_id in (foreign.conversation_id, own.conversation_id, uuid7()):
        address = f"/api/conversations/{conversation_id}/messages/{message.pk}/feedback"
        answer = browser.post(address, {"rating": "up"}, content_type="application/json")
        assert error_of(answer) == (404, "NOT_FOUND")
    assert Feedback.objects.count() == 0


def test_feedback_goes_with_its_conversation(browser: Client, ada: Any) -> None:
    run = turn(ada)
    give(browser, run, {"rating": "up", "comment": "private"})

    assert browser.delete(f"/api/conversations/{run.conversation_id}").status_code == 204
    assert Feedback.objects.count() == 0


def test_a_thread_tells_how_each_of_its_runs_ended(browser: Client, ada: Any, eve: Any) -> None:
    usage = kernel.Usage(input_tokens=12, output_tokens=3).as_json()
    answered = {"provider_id": "mock", "model": "mock-1", "finish_reason": "stop"}
    first = turn(ada, usage=usage, cost=Decimal("0.0000180000"), **answered)
    error = {"code": "RUN_TIMEOUT", "message": "It took too long."}
    second = turn(ada, first.conversation_id, status="failed", error=error)
    turn(eve)

    runs = browser.get(f"/api/conversations/{first.conversation_id}/messages").json()["runs"]

    assert runs == {
        str(first.pk): {
            "status": "completed",
            "finish_reason": "stop",
            "cancel_reason": None,
            "provider_id": "mock",
            "model": "mock-1",
            "usage": usage,
            "cost": "0.000018",
            "currency": "USD",
            "error": None,
            "finished_at": None,
            "tool_calls": [],
            "routes": [],
            "route_changes": [],
        },
        str(second.pk): {
            "status": "failed",
            "finish_reason": None,
            "cancel_reason": None,
            "provider_id": None,
            "model": None,
            "usage": kernel.Usage().as_json(),
            "cost": None,
            "currency": "USD",
            "error": error,
            "finished_at": None,
            "tool_calls": [],
            "routes": [],
            "route_changes": [],
        },
    }


def test_a_thread_tells_what_its_tool_calls_showed(browser: Client, ada: Any) -> None:
    run = turn(ada)
    shown = {"call_id": "k", "summary": "Weather in Oslo", "duration_ms": 12, "for_ui": {"sky": "grey"}}
    started = {"call_id": "k", "name": "get_weather", "arguments": {}, "summary": shown["summary"]}
    completed = {"call_id": "k", "status": "done", "result": 1, "for_ui": shown["for_ui"], "duration_ms": 12}
    Message.objects.filter(run_id=run.pk, role="assistant").update(role="tool")
    for sequence, (type, data) in enumerate([("ToolCallStarted", started), ("ToolCallCompleted", completed)]):
        RunEvent.objects.create(run=run, sequence=sequence, type=type, data=data, created_at=run.created_at)

    runs = browser.get(f"/api/conversations/{run.conversation_id}/messages").json()["runs"]

    assert runs[str(run.pk)]["tool_calls"] == [shown]


def test_a_thread_costs_the_same_number_of_queries_whatever_its_length(browser: Client, ada: Any) -> None:
    run = turn(ada)
    for _number in range(5):
        give(browser, turn(ada, run.conversation_id), {"rating": "up"})

    with CaptureQueriesContext(connection) as queries:
        messages_of(browser, run)

    assert len(queries) == 7  # session, user, conversation, open run, places, messages with feedback, runs
