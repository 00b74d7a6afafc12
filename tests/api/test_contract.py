"""What holds for every endpoint alike: slashes, methods, logins, bodies and the shape of refusals."""

from typing import Any

import pytest
from django.test import Client

from agentcore.ids import uuid7
from agentcore.models import AgentProfile, ApiToken
from tests.api.description import faults, operations

pytestmark = [pytest.mark.django_db(transaction=True)]

IDS = {
    "run_id": "01980000-0000-7000-8000-000000000001",
    "conversation_id": "01980000-0000-7000-8000-000000000002",
    "message_id": "01980000-0000-7000-8000-000000000003",
    "provider_id": "nobody",
    "credential_id": "nobody",
}
ALL = sorted(operations())
PATHS = sorted({path for _method, path in operations()})
KNOWN = {path: {method for method, other in operations() if other == path} for path in PATHS}
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
OPEN = {"/api/schema"}
WITH_BODY = [
    ("POST", "/api/agent/runs"),
    ("POST", "/api/conversations"),
    ("POST", "/api/conversations/{conversation_id}/messages/{message_id}/feedback"),
    ("POST", "/api/chat"),
    ("POST", "/api/providers"),
    ("POST", "/api/providers/test"),
    ("PATCH", "/api/providers/{provider_id}"),
    ("PUT", "/api/credentials/{credential_id}"),
]
LISTS = ["/api/agents", "/api/models", "/api/tools", "/api/conversations"]


def ask(client: Client, method: str, path: str, body: Any = b"", kind: str = "application/json", **headers: str) -> Any:
    return client.generic(method, path.format(**IDS), body, kind, headers=headers)


def refused(answer: Any) -> tuple[int, str]:
    """Status and code of a refusal; one in another shape fails here."""
    assert faults("GET", "/api/agents", 400, answer.json()) == []
    assert answer.json()["error"]["request_id"] == answer.headers["X-Request-ID"]
    assert answer.json()["error"]["message"]
    return answer.status_code, answer.json()["error"]["code"]


def test_a_slash_at_the_end_changes_nothing(browser: Client, agent: AgentProfile) -> None:
    asked = {item: [ask(browser, item[0], f"{item[1]}{slash}").status_code for slash in ("", "/")] for item in ALL}
    assert {item: pair for item, pair in asked.items() if pair[0] != pair[1] or pair[0] in {301, 302, 405}} == {}


def test_an_unknown_method_is_405_in_the_one_shape_and_says_which_are_known(browser: Client, ada: Any) -> None:
    type(ada).objects.update(is_superuser=True)
    unknown = [(method, path) for path in PATHS for method in METHODS if method not in KNOWN[path]]
    answers = {item: ask(browser, *item, b"{}") for item in unknown}
    assert {refused(answer) for answer in answers.values()} == {(405, "VALIDATION_ERROR")}
    allowed = {path: set(answer.headers["Allow"].split(", ")) for (_method, path), answer in answers.items()}
    assert {path: KNOWN[path] - names for path, names in allowed.items()} == {path: set() for path in allowed}


@pytest.mark.parametrize("path", ["/api/agents", "/api/conversations", "/api/schema"])
def test_head_is_get_without_its_body(browser: Client, agent: AgentProfile, path: str) -> None:
    answer = ask(browser, "HEAD", path)
    assert (answer.status_code, answer.content) == (200, b"")


def test_nobody_gets_in_without_a_login(client: Client) -> None:
    answers = {item: ask(client, *item, b"{}") for item in ALL if item[1] not in OPEN}
    assert {refused(answer) for answer in answers.values()} == {(401, "NOT_AUTHENTICATED")}
    assert {answer.headers["WWW-Authenticate"] for answer in answers.values()} == {"Token"}


@pytest.mark.parametrize("fault", ["unknown", "revoked", "inactive", "empty"])
def test_a_token_that_is_not_good_is_401(client: Client, ada: Any, token: str, fault: str) -> None:
    ApiToken.objects.update(revoked_at="2026-01-01T00:00Z" if fault == "revoked" else None)
    type(ada).objects.update(is_active=fault != "inactive")
    value = {"unknown": "stw_nobody", "empty": ""}.get(fault, token)
    answers = [ask(client, *item, b"{}", Authorization=f"Token {value}") for item in ALL]
    assert {refused(answer) for answer in answers} == {(401, "NOT_AUTHENTICATED")}


def test_a_token_is_a_login_and_needs_no_csrf_token(agent: AgentProfile, ada: Any, token: str) -> None:
    type(ada).objects.update(is_superuser=True)
    program = Client(enforce_csrf_checks=True)
    statuses = {item: ask(program, *item, b"[]", Authorization=f"Token {token}").status_code for item in ALL}
    assert {item: status for item, status in statuses.items() if status not in {200, 400, 404}} == {}


def test_a_session_changes_nothing_without_its_csrf_token(ada: Any) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(ada)
    answers = [ask(client, *item, b"{}") for item in ALL if item[0] != "GET"]
    assert {refused(answer) for answer in answers} == {(403, "FORBIDDEN")}


@pytest.mark.parametrize("body", [b"{", b"[]", b'"x"', b"\xff\xfe", b"{" * 5000 + b"}" * 5000])
def test_a_body_that_is_no_json_object_is_400(browser: Client, ada: Any, body: bytes) -> None:
    type(ada).objects.update(is_superuser=True)
    assert {refused(ask(browser, *item, body)) for item in WITH_BODY} == {(400, "VALIDATION_ERROR")}


def test_a_body_beyond_the_limit_is_413(browser: Client, ada: Any, settings: Any) -> None:
    type(ada).objects.update(is_superuser=True)
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 100
    body = b'{"input": "' + b"x" * 200 + b'"}'
    assert {refused(ask(browser, *item, body)) for item in WITH_BODY} == {(413, "PAYLOAD_TOO_LARGE")}


@pytest.mark.parametrize("kind", ["text/plain", "application/xml", "nonsense"])
def test_another_content_type_is_400_and_says_so(browser: Client, kind: str) -> None:
    answer = ask(browser, "POST", "/api/conversations", b"<a/>", kind)
    assert refused(answer) == (400, "VALIDATION_ERROR")
    assert kind in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    "path",
    ["/api", "/api/", "/api/nowhere", "/api/nowhere/", "/api/agent/runs/no-uuid", "/api/agents/x", "/api//agents"],
)
def test_an_unknown_address_is_404_in_the_one_shape(client: Client, path: str) -> None:
    assert {refused(ask(client, method, path, b"{}")) for method in METHODS} == {(404, "NOT_FOUND")}


@pytest.mark.parametrize("path", ["/api", "/api/", "/api/nowhere", "/api/agent/runs/no-uuid"])
def test_an_unknown_address_is_404_also_for_a_program_that_has_a_token_and_no_csrf_cookie(
    ada: Any, token: str, path: str
) -> None:
    program = Client(enforce_csrf_checks=True)
    answers = {refused(ask(program, method, path, b"{}", Authorization=f"Token {token}")) for method in METHODS}
    assert answers == {(404, "NOT_FOUND")}


@pytest.mark.parametrize("method", ["OPTIONS", "POST", "DELETE"])
def test_the_page_of_the_api_refuses_other_methods_in_the_one_shape(method: str) -> None:
    answer = ask(Client(enforce_csrf_checks=True), method, "/api/docs")
    assert refused(answer) == (405, "VALIDATION_ERROR")
    assert answer.headers["Allow"] == "GET, HEAD"


@pytest.mark.parametrize("path", LISTS)
def test_every_list_has_the_one_shape(browser: Client, agent: AgentProfile, path: str) -> None:
    body = ask(browser, "GET", path).json()
    assert body.keys() >= {"results", "next", "previous"}
    assert isinstance(body["results"], list)


@pytest.mark.parametrize("query", ["cursor=nonsense", "limit=0", "limit=x", "limit=201", "limit=-1"])
def test_a_wrong_cursor_or_limit_of_a_list_is_400(browser: Client, query: str) -> None:
    assert refused(browser.get(f"/api/conversations?{query}")) == (400, "VALIDATION_ERROR")


@pytest.mark.parametrize("query", ["limit=0", "limit=1001", "limit=x", "after_sequence=x", "after_sequence=-2"])
def test_a_wrong_limit_or_sequence_of_a_trace_is_400(browser: Client, query: str) -> None:
    assert refused(browser.get(f"/api/agent/runs/{uuid7()}/trace?{query}")) == (400, "VALIDATION_ERROR")


@pytest.mark.parametrize(("language", "name"), [("en", "Travel assistant"), ("zh-hans", "旅行助手")])
def test_agents_speak_the_persons_language(browser: Client, agent: AgentProfile, language: str, name: str) -> None:
    said = "How is the weather in Berlin?"
    AgentProfile.objects.update(name="Travel assistant", description="", suggestions=[said, ""])
    choice = browser.get("/api/agents", headers={"Accept-Language": language}).json()["results"][0]
    assert choice["name"] == name
    assert choice["description"] == ""
    assert len(choice["suggestions"]) == 1
    assert (choice["suggestions"][0] == said) == (language == "en")
