"""The endpoints of conversations."""

from base64 import urlsafe_b64encode
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from agentcore import messages as kernel
from agentcore.ids import uuid7
from agentcore.models import AgentProfile, PermissionRequest, Run, RunEvent, RunStep, ToolCall
from conversations.models import Conversation, Message
from conversations.services.conversations import conversation_create
from conversations.store import DatabaseConversationStore

pytestmark = [pytest.mark.django_db, pytest.mark.database]
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
STORE = DatabaseConversationStore()


@pytest.fixture
def alice(django_user_model):
    return django_user_model.objects.create_user("alice")


@pytest.fixture
def bob(django_user_model):
    return django_user_model.objects.create_user("bob")


@pytest.fixture
def agent(db):
    return AgentProfile.objects.create(slug="assistant", name="Assistant")


def many(user, number, a_minute=1):
    """Conversations that are newer and newer, ``a_minute`` of them at the same time."""
    return [
        Conversation.objects.create(user=user, title=f"c{n}", updated_at=NOON + timedelta(minutes=n // a_minute))
        for n in range(number)
    ]


def turn(user, text, *answers, conversation_id=None, status="completed"):
    """A run as the ground stores it; one without answers is still open."""
    run_id = uuid7()
    message = kernel.Message.of("user", text)
    conversation_id = STORE.turn_open(
        run_id=run_id, conversation_id=conversation_id, user=user, agent="assistant", message=message
    )
    run = Run.objects.create(
        id=run_id, user=user, conversation_id=conversation_id, agent="assistant", input=text, status="running"
    )
    if answers:
        STORE.turn_close(run_id=run_id, conversation_id=conversation_id, messages=list(answers), status=status)
        run.status, run.output, run.citations = status, answers[-1].text, [{"number": 1}]
        run.save()
    return run


def said(text):
    return kernel.Message.of("assistant", text)


def error_of(response):
    return response.status_code, response.json()["error"]["code"]


def test_a_new_conversation_has_the_shape_of_the_contract(alice_client, agent):
    response = alice_client.post("/api/conversations", {"title": "Trip"}, content_type="application/json")
    body = response.json()
    assert response.status_code == 201
    assert set(body) == {"conversation_id", "title", "pinned", "agent", "created_at", "updated_at", "open_run_id"}
    assert (body["title"], body["agent"], body["pinned"], body["open_run_id"]) == ("Trip", "assistant", False, None)
    assert alice_client.get(f"/api/conversations/{body['conversation_id']}").json() == body


def test_a_new_conversation_needs_no_body(alice_client, agent):
    assert alice_client.post("/api/conversations").status_code == 201


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"agent": "nobody"}, (404, "NOT_FOUND")),
        ({"agent": 3.5}, (400, "VALIDATION_ERROR")),
        ({"title": "x" * 201}, (400, "VALIDATION_ERROR")),
        ({"title": "a\x00b"}, (400, "VALIDATION_ERROR")),
        ({"title": "a\ud800b"}, (400, "VALIDATION_ERROR")),
        ({"pinned": "maybe"}, (400, "VALIDATION_ERROR")),
        ([], (400, "VALIDATION_ERROR")),
    ],
)
def test_a_wrong_new_conversation_is_refused_and_nothing_is_stored(alice_client, agent, body, expected):
    response = alice_client.post("/api/conversations", body, content_type="application/json")
    assert error_of(response) == expected
    assert Conversation.objects.count() == 0


def test_a_disabled_agent_is_not_found(alice_client, agent):
    AgentProfile.objects.update(enabled=False)
    response = alice_client.post("/api/conversations", {"agent": "assistant"}, content_type="application/json")
    assert error_of(response) == (404, "NOT_FOUND")


def test_the_list_has_the_persons_own_newest_first(alice_client, alice, bob):
    many(alice, 3)
    many(bob, 1)
    body = alice_client.get("/api/conversations").json()
    assert [item["title"] for item in body["results"]] == ["c2", "c1", "c0"]
    assert (body["next"], body["previous"]) == (None, None)


def pages(client, step, **query):
    """All pages from the one that ``query`` names, following ``next`` or ``previous``."""
    found = []
    while True:
        body = client.get("/api/conversations", query).json()
        found.append([item["title"] for item in body["results"]])
        if body[step] is None:
            return found, query.get("cursor")
        query["cursor"] = body[step]


def test_pages_hold_everything_once_in_both_directions_also_with_equal_times(alice_client, alice):
    many(alice, 7, a_minute=2)
    forward, last = pages(alice_client, "next", limit=3)
    assert [len(page) for page in forward] == [3, 3, 1]
    assert {title for page in forward for title in page} == {f"c{n}" for n in range(7)}
    backward, _first = pages(alice_client, "previous", limit=3, cursor=last)
    assert backward == forward[::-1]


def test_a_page_costs_the_same_number_of_queries_whatever_its_length(alice_client, alice):
    many(alice, 20)
    with CaptureQueriesContext(connection) as queries:
        alice_client.get("/api/conversations")
    assert len(queries) == 4  # session, user, conversations, open runs


@pytest.mark.parametrize(
    "query",
    [
        {"cursor": "nonsense"},
        {"cursor": "%%%"},
        {"cursor": "é"},
        {"cursor": "MCAwMDAxLTAxLTAxVDAwOjAwOjAwKzIzOjU5IGNkNTM1NzlmLWJhNTctNDRmNy1hNTg4LTFlZDZmOGFiYWM4NA"},
        {"cursor": "MCA5OTk5LTEyLTMxVDIzOjU5OjU5LTIzOjU5IGNkNTM1NzlmLWJhNTctNDRmNy1hNTg4LTFlZDZmOGFiYWM4NA"},
        {"cursor": "MCAyMDI2LTAxLTAxVDEyOjAwOjAwIDAwMDAwMDAw"},
        {"limit": "0"},
        {"limit": "201"},
        {"limit": "-1"},
        {"limit": "ten"},
        {"limit": "٣"},
    ],
)
def test_a_wrong_cursor_or_limit_is_refused(alice_client, query):
    assert error_of(alice_client.get("/api/conversations", query)) == (400, "VALIDATION_ERROR")


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("oslo", ["Flights to Oslo"]),
        ("航班", ["上海的航班"]),
        ("nine o'clock", ["Flights to Oslo"]),
        ("100%", []),
        ("\x00", []),
        ("  ", ["上海的航班", "Flights to Oslo"]),
    ],
)
def test_the_list_is_searched_by_title_and_messages(alice_client, alice, bob, words, found):
    turn(alice, "Flights to Oslo", said("There is one at nine o'clock."))
    turn(alice, "上海的航班", said("有。"))
    turn(bob, "Flights to Oslo too", said("At nine o'clock."))
    body = alice_client.get("/api/conversations", {"q": words}).json()
    assert [item["title"] for item in body["results"]] == found


def test_title_and_pin_are_changed_and_nothing_else(alice_client, alice):
    conversation = many(alice, 1)[0]
    changes = {"title": "Renamed", "pinned": True, "agent": "other", "updated_at": "2030-01-01T00:00Z"}
    response = alice_client.patch(f"/api/conversations/{conversation.id}", changes, content_type="application/json")
    assert response.status_code == 200
    assert (response.json()["title"], response.json()["pinned"]) == ("Renamed", True)
    conversation.refresh_from_db()
    assert (conversation.title, conversation.pinned, conversation.agent) == ("Renamed", True, "")
    assert conversation.updated_at == NOON


def test_messages_are_the_turns_oldest_first(alice_client, alice):
    call = kernel.FunctionCallContent("c1", "math.add", {"left": 1})
    thinking = kernel.ReasoningContent("hm", opaque="secret of the provider", provider_id="p", model="m")
    result = kernel.FunctionResultContent("c1", "math.add", 3)
    run = turn(
        alice,
        "Add",
        kernel.Message(role=kernel.Role.ASSISTANT, contents=(thinking, call)),
        kernel.Message(role=kernel.Role.TOOL, contents=(result,)),
        said("3"),
    )
    body = alice_client.get(f"/api/conversations/{run.conversation_id}/messages").json()
    assert [(item["role"], item["text"]) for item in body["results"]] == [
        ("user", "Add"),
        ("assistant", ""),
        ("tool", ""),
        ("assistant", "3"),
    ]
    assert set(body["results"][0]) == {"message_id", "role", "text", "contents", "run_id", "created_at", "feedback"}
    assert {item["run_id"] for item in body["results"]} == {str(run.id)}
    assert [content["type"] for content in body["results"][1]["contents"]] == ["reasoning", "function_call"]
    assert body["results"][0]["contents"] == [{"type": "text", "text": "Add"}]
    assert "secret of the provider" not in str(body)
    assert body["open_run_id"] is None


def test_a_run_tells_its_routes_and_where_they_changed(alice_client, alice):
    result = kernel.Message(role=kernel.Role.TOOL, contents=(kernel.FunctionResultContent("k", "find", 1),))
    run = turn(alice, "Find", said("Wait."), result, said("One."))
    far, near = {"provider_id": "far", "model": "m"}, {"provider_id": "near", "model": "n"}
    Run.objects.filter(id=run.id).update(config={"routes": [far, near]})
    change = {"from": far, "to": near, "reason": "PROVIDER_TIMEOUT", "discard": None, "omitted": []}
    call = {"call_id": "k", "name": "find", "summary": "", "duration_ms": 1, "for_ui": None}
    kinds = [("RouteChanged", change), ("ToolCallStarted", call), ("ToolCallCompleted", call), ("RouteChanged", change)]
    for sequence, (kind, data) in enumerate(kinds):
        RunEvent.objects.create(run=run, sequence=sequence, type=kind, data=data, created_at=NOON)

    line = alice_client.get(f"/api/conversations/{run.conversation_id}/messages").json()["runs"][str(run.id)]

    assert line["routes"] == [far, near]
    assert line["route_changes"] == [change | {"after_calls": 0}, change | {"after_calls": 1}]
    assert [call["call_id"] for call in line["tool_calls"]] == ["k"]


def test_an_open_run_is_named_and_its_input_is_shown(alice_client, alice):
    first = turn(alice, "one", said("1"))
    second = turn(alice, "two", conversation_id=first.conversation_id)
    address = f"/api/conversations/{first.conversation_id}"
    thread = alice_client.get(f"{address}/messages").json()
    assert [item["text"] for item in thread["results"]] == ["one", "1", "two"]
    assert thread["open_run_id"] == str(second.id)
    assert alice_client.get(address).json()["open_run_id"] == str(second.id)
    assert alice_client.get("/api/conversations").json()["results"][0]["open_run_id"] == str(second.id)


def thread_pages(client, conversation_id, step, **query):
    """The texts of each page of a thread from the one that ``query`` names, and the query of the last."""
    found = []
    while True:
        body = client.get(f"/api/conversations/{conversation_id}/messages", query).json()
        found.append([item["text"] for item in body["results"]])
        assert set(body["runs"]) == {item["run_id"] for item in body["results"]}
        if body[step] is None:
            return found, query
        query = query | {"cursor": body[step]}


def test_a_thread_comes_in_pages_in_both_directions(alice_client, alice):
    first = turn(alice, "q0", said("a0"))
    for number in range(1, 4):
        turn(alice, f"q{number}", said(f"a{number}"), conversation_id=first.conversation_id)

    forward, last = thread_pages(alice_client, first.conversation_id, "next", limit=3)
    backward, _first = thread_pages(alice_client, first.conversation_id, "previous", **last)

    assert forward == [["q0", "a0", "q1"], ["a1", "q2", "a2"], ["q3", "a3"]]
    assert backward == forward[::-1]


def test_a_page_of_a_thread_holds_no_more_than_200(alice_client, alice):
    answers = [said(f"m{number}") for number in range(300)]
    run = turn(alice, "many", *answers)
    address = f"/api/conversations/{run.conversation_id}/messages"

    with CaptureQueriesContext(connection) as queries:
        body = alice_client.get(address).json()

    assert len(body["results"]) == 200
    assert len(queries) == 7  # session, user, conversation, open run, places, messages, runs
    assert len(alice_client.get(address, {"cursor": body["next"]}).json()["results"]) == 101


@pytest.mark.parametrize("position", ["-5", "-1", "301", "2147483647"])
@pytest.mark.parametrize("direction", ["newer", "older"])
def test_a_place_that_no_message_has_is_answered(alice_client, alice, position, direction):
    run = turn(alice, "hi", said("you"))
    text = f"messages {run.conversation_id}|{direction}|{position}|{uuid7()}"
    query = {"cursor": urlsafe_b64encode(text.encode()).decode()}

    response = alice_client.get(f"/api/conversations/{run.conversation_id}/messages", query)

    assert response.status_code == 200
    assert {item["text"] for item in response.json()["results"]} <= {"hi", "you"}


@pytest.mark.parametrize(
    "query", [{"cursor": "nonsense"}, {"limit": "0"}, {"limit": "201"}, {"limit": "ten"}, {"limit": "9" * 30}]
)
def test_a_wrong_page_of_a_thread_is_refused(alice_client, alice, query):
    run = turn(alice, "hi", said("you"))
    response = alice_client.get(f"/api/conversations/{run.conversation_id}/messages", query)
    assert error_of(response) == (400, "VALIDATION_ERROR")
    assert response.json()["error"]["details"].keys() == query.keys()


def test_a_cursor_of_another_list_is_refused(alice_client, alice):
    run, other = turn(alice, "one", said("1")), turn(alice, "two", said("2"))
    listed = alice_client.get("/api/conversations", {"limit": 1}).json()["next"]
    address = "/api/conversations/{}/messages"
    threads = alice_client.get(address.format(other.conversation_id), {"limit": 1}).json()["next"]

    answers = [
        alice_client.get(address.format(run.conversation_id), {"cursor": listed}),
        alice_client.get(address.format(run.conversation_id), {"cursor": threads}),
        alice_client.get("/api/conversations", {"cursor": threads}),
    ]

    assert [error_of(answer) for answer in answers] == [(400, "VALIDATION_ERROR")] * 3


METHODS = pytest.mark.parametrize(
    ("method", "path"), [("get", ""), ("patch", ""), ("delete", ""), ("get", "/messages"), ("get", "/messages/")]
)


@METHODS
def test_another_persons_and_an_unknown_conversation_are_not_found_alike(bob_client, alice, method, path):
    run = turn(alice, "private", said("text"))
    ask = getattr(bob_client, method)
    foreign = ask(f"/api/conversations/{run.conversation_id}{path}", content_type="application/json")
    unknown = ask(f"/api/conversations/{uuid7()}{path}", content_type="application/json")
    assert error_of(foreign) == error_of(unknown) == (404, "NOT_FOUND")
    assert foreign.json()["error"]["message"] == unknown.json()["error"]["message"]
    assert Message.objects.count() == 2


@METHODS
def test_a_superuser_is_no_exception(alice, django_user_model, method, path):
    run = turn(alice, "private", said("text"))
    client = Client()
    client.force_login(django_user_model.objects.create_superuser("root"))
    response = getattr(client, method)(f"/api/conversations/{run.conversation_id}{path}")
    assert error_of(response) == (404, "NOT_FOUND")


@pytest.mark.parametrize("path", ["/api/conversations", "/api/conversations/", f"/api/conversations/{UUID(int=1)}"])
def test_nobody_reads_without_a_login(client, path):
    assert error_of(client.get(path)) == (401, "NOT_AUTHENTICATED")


def test_a_change_needs_the_csrf_token(alice):
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice)
    assert error_of(client.post("/api/conversations")) == (403, "FORBIDDEN")
    assert Conversation.objects.count() == 0


def test_delete_purges_every_text_and_keeps_the_run(alice_client, alice):
    run = turn(alice, "my secret", said("your secret"))
    other = turn(alice, "stays", said("stays too"))
    for sequence, owner in enumerate([run, other]):
        RunEvent.objects.create(run=owner, sequence=sequence, type="TextDelta", data={"text": "s"}, created_at=NOON)
    RunStep.objects.create(run=run, step=0, messages=["secret"])
    call = ToolCall.objects.create(
        run=run,
        call_id="c",
        step=0,
        name="t",
        arguments={"a": "secret"},
        result="secret",
        effect="read",
        created_at=NOON,
    )
    PermissionRequest.objects.create(
        run=run,
        call=call,
        tool="t",
        permission="p",
        arguments={"a": "secret"},
        summary="secret",
        created_at=NOON,
        expires_at=NOON,
    )
    assert alice_client.delete(f"/api/conversations/{run.conversation_id}").status_code == 204
    assert list(Message.objects.values_list("text", flat=True)) == ["stays", "stays too"]
    assert RunEvent.objects.get().run_id == other.id
    rows = [Run.objects.get(id=run.id), ToolCall.objects.get(), PermissionRequest.objects.get()]
    assert not any("secret" in str(value) for row in rows for value in vars(row).values())
    assert not RunStep.objects.exists()
    assert rows[0].status == "completed"
    assert Run.objects.get(id=other.id).input == "stays"


def test_delete_is_refused_while_a_run_is_open(alice_client, alice):
    run = turn(alice, "wait")
    assert error_of(alice_client.delete(f"/api/conversations/{run.conversation_id}")) == (409, "CONVERSATION_BUSY")
    assert Message.objects.count() == 1
    assert Run.objects.get().input == "wait"


def test_the_admin_shows_no_text(alice, django_user_model):
    run = turn(alice, "Private title", said("private text"))
    client = Client()
    client.force_login(django_user_model.objects.create_superuser("root"))
    address = "/admin/conversations/conversation/"
    paths = [address, f"{address}{run.conversation_id}/change/", f"{address}{run.conversation_id}/delete/"]
    shown = [client.get(path) for path in paths]
    assert [response.status_code for response in shown] == [200, 200, 200]
    assert not any("rivate" in response.content.decode() for response in shown)


def test_deleting_in_the_admin_purges_like_the_owner(alice, django_user_model):
    run = turn(alice, "secret", said("secret"))
    busy = turn(alice, "busy")
    client = Client()
    client.force_login(django_user_model.objects.create_superuser("root"))
    body = {"action": "delete_selected", "_selected_action": [run.conversation_id, busy.conversation_id], "post": "yes"}
    assert client.post("/admin/conversations/conversation/", body).status_code == 302
    assert Conversation.objects.get().id == busy.conversation_id
    assert Run.objects.get(id=run.id).input == ""


def test_the_admin_does_not_delete_while_a_run_is_open(alice, django_user_model):
    run = turn(alice, "busy")
    client = Client()
    client.force_login(django_user_model.objects.create_superuser("root"))
    address = f"/admin/conversations/conversation/{run.conversation_id}/delete/"
    assert client.post(address, {"post": "yes"}).status_code == 302
    assert Conversation.objects.exists()


def test_a_conversation_made_first_is_used_by_a_turn(alice, agent):
    conversation = conversation_create(user=alice)
    turn(alice, "Hello", said("Hi"), conversation_id=conversation.id)
    conversation.refresh_from_db()
    assert (conversation.title, Message.objects.count()) == ("Hello", 2)
