"""The OpenAPI description is complete, valid, and what the endpoints really answer."""

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from django.core.management import call_command
from django.urls import include, path
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from agentcore.ids import uuid7
from agentcore.models import Credential, Provider
from tests.api.description import description, faults, operations
from tests.routes import routes

# The page, and the answer to every address that is none.
NOT_DESCRIBED = {"/api/docs", "/api/{rest}"}
SCRIPT = '/think hm\n/tool math.add {"left": 1, "right": 2}\n/then\nThree.'

CALLS = "\n".join(f'/tool math.add {{"left": 1, "right": {number}}}' for number in range(5))
CHAT = {"provider_id": "mock", "model": "mock-1", "messages": [{"role": "user", "content": CALLS}]}

# What to send, and the status of the answer; a GET needs no row.
SENT: dict[tuple[str, str], tuple[dict[str, Any] | None, int]] = {
    ("POST", "/api/agent/runs"): ({"input": "hello"}, 201),
    ("POST", "/api/agent/runs/{run_id}/cancel"): (None, 200),
    ("POST", "/api/conversations"): ({"title": "Trip"}, 201),
    ("POST", "/api/conversations/{conversation_id}/messages/{message_id}/feedback"): ({"rating": "up"}, 200),
    ("PATCH", "/api/conversations/{conversation_id}"): ({"pinned": True}, 200),
    ("DELETE", "/api/conversations/{conversation_id}"): (None, 204),
    ("POST", "/api/chat"): (CHAT, 200),
    ("POST", "/api/providers"): ({"provider_id": "new", "provider_type": "mock"}, 201),
    ("POST", "/api/providers/test"): ({"provider_id": "spare"}, 200),
    ("PATCH", "/api/providers/{provider_id}"): ({"name": "Renamed"}, 200),
    ("DELETE", "/api/providers/{provider_id}"): (None, 204),
    ("PUT", "/api/credentials/{credential_id}"): ({"value": "sk-of-a-description"}, 200),
    ("DELETE", "/api/credentials/{credential_id}"): (None, 204),
}


SPARE = {"provider_id": "spare", "credential_id": "spare"}


@api_view(["GET"])
def stock(_request: Request) -> Response:
    """An endpoint of the host site."""
    return Response()


urlpatterns = [path("api/stock", stock), path("", include("agentcore.urls"))]


@pytest.fixture
def superuser_token(ada: Any, token: str) -> str:
    """Ada's, who may now also see what is on record."""
    type(ada).objects.filter(pk=ada.pk).update(is_staff=True, is_superuser=True)
    return token


@pytest.fixture
async def known(superuser_token: str, program: httpx.AsyncClient) -> dict[str, str]:
    """The ids of a turn that has ended, by the parameter that they stand for."""
    run = (await program.post("/api/agent/runs", json={"input": SCRIPT})).raise_for_status().json()
    await program.get(f"/api/agent/runs/{run['run_id']}/events")
    thread = (await program.get(f"/api/conversations/{run['conversation_id']}/messages")).json()
    await Credential.objects.acreate(slug="spare", token=b"")
    models = [{"id": "mock-1", "name": "mock-1"}]
    await Provider.objects.acreate(slug="spare", provider_type="mock", name="Spare", models_found=models)
    return {**run, "message_id": thread["results"][-1]["message_id"], **SPARE}


def test_the_description_is_valid_and_nothing_in_it_is_guessed(tmp_path: Any) -> None:
    call_command("spectacular", "--validate", "--fail-on-warn", "--file", str(tmp_path / "schema.yaml"))


def test_every_address_is_described_and_no_other() -> None:
    real = {route.path for route in routes() if route.path.startswith("/api/")}
    assert {path for _method, path in operations()} == real - NOT_DESCRIBED


@pytest.mark.parametrize(("method", "path"), sorted(operations()))
async def test_the_answer_is_as_described(
    program: httpx.AsyncClient, known: dict[str, str], method: str, path: str
) -> None:
    sent, status = SENT.get((method, path), (None, 200)) if method == "GET" else SENT[method, path]

    answer = await program.request(method, path.format(**known), json=sent)

    assert answer.status_code == status, answer.text
    media = answer.headers.get("content-type", "").partition(";")[0]
    assert [fault for item in bodies(answer, media) for fault in faults(method, path, status, item, media)] == []


def bodies(answer: httpx.Response, media: str) -> list[Any]:
    """The JSON of an answer: each event's of a stream, none of an empty one."""
    if media == "text/event-stream":
        lines = [line.removeprefix("data: ") for line in answer.text.split("\n") if line.startswith("data: ")]
        assert len(lines) > 5
        return [json.loads(line) for line in lines]
    return [answer.json()] if answer.content else []


@pytest.mark.parametrize(("method", "path"), sorted(operations()))
async def test_a_refusal_is_as_described(
    anonymous: Callable[[], httpx.AsyncClient], transactional_db: None, method: str, path: str
) -> None:
    ids = {name: str(uuid7()) for name in ("run_id", "conversation_id", "message_id")} | SPARE
    async with anonymous() as client:
        answer = await client.request(method, path.format(**ids), headers={"Authorization": "Token wrong"})

    assert answer.status_code == 401
    assert faults(method, path, 401, answer.json()) == []


def test_an_answer_that_is_not_as_described_is_noticed() -> None:
    path = "/api/agents"
    choice = {"agent": "a", "name": "A", "description": "", "suggestions": [], "default": None}
    page = {"results": [choice], "next": None, "previous": None}

    assert faults("GET", path, 200, page) == []
    assert faults("GET", path, 200, page | {"more": 1}) != []
    assert faults("GET", path, 200, page | {"results": [choice | {"name": None}]}) != []
    assert faults("GET", path, 200, {"results": []}) != []


def test_both_logins_are_described_and_a_change_by_a_session_needs_the_csrf_token() -> None:
    paths = description()["paths"]["/api/conversations"]
    assert {"session", "csrf", "token"} == description()["components"]["securitySchemes"].keys()
    assert paths["get"]["security"] == [{"token": []}, {"session": []}]
    assert paths["post"]["security"] == [{"token": []}, {"session": [], "csrf": []}]


@pytest.mark.parametrize(
    ("accept", "media"),
    [
        ("*/*", "application/vnd.oai.openapi+json"),
        ("application/json", "application/json"),
        ("application/vnd.oai.openapi", "application/vnd.oai.openapi"),
    ],
)
def test_the_description_is_open_and_json_unless_yaml_is_wanted(db: None, client: Any, accept: str, media: str) -> None:
    answer = client.get("/api/schema/", headers={"Accept": accept})
    assert (answer.status_code, answer.headers["content-type"].partition(";")[0]) == (200, media)


@pytest.mark.parametrize("query", ["lang=xx", "lang=../../etc", "lang=", "version=9", "format=xml", "lang=%00"])
def test_nonsense_in_the_query_of_the_description_breaks_nothing(db: None, client: Any, query: str) -> None:
    assert client.get(f"/api/schema?{query}").status_code in {200, 400, 404}


def test_the_page_names_the_description_and_has_nothing_inline(db: None, client: Any) -> None:
    page = client.get("/api/docs/").content.decode()
    assert 'data-schema="/api/schema"' in page
    assert "<style" not in page
    assert "<script>" not in page


@pytest.mark.urls(__name__)
def test_the_description_publishes_no_endpoint_of_the_host_site(db: None, client: Any) -> None:
    assert client.get("/api/stock").status_code in {200, 401}
    paths = client.get("/api/schema", headers={"Accept": "application/json"}).json()["paths"]
    assert "/api/stock" not in paths
    assert "/api/agents" in paths
