"""Async endpoints keep the policies that the site gives to DRF, and refuse in the same shape."""

from typing import Any

import pytest
from django.test import Client
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import ErrorDetail
from rest_framework.permissions import BasePermission
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from agentcore.api.errors import details_of
from agentcore.errors import Conflict, ValidationFailed
from agentcore.models import AgentProfile

pytestmark = pytest.mark.django_db(transaction=True)
# One of DRF's own, and one that is async.
# Fixed: a test has the same name in every worker.
UNKNOWN = "01980000-0000-7000-8000-000000000000"
PATHS = pytest.mark.parametrize("path", ["/api/agents", f"/api/agent/runs/{UNKNOWN}"])


class Nobody(BasePermission):
    def has_permission(self, request: Any, view: Any) -> bool:
        return False


class Busy(BaseThrottle):
    def allow_request(self, request: Any, view: Any) -> bool:
        return False

    def wait(self) -> float:
        return 7


class ByName(BaseAuthentication):
    """A login of the site's own."""

    user: Any = None

    def authenticate(self, request: Any) -> tuple[Any, None] | None:
        return (self.user, None) if request.headers.get("X-Name") else None

    def authenticate_header(self, request: Any) -> str:
        return "Name"


def refused(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


@PATHS
def test_a_permission_of_the_site_is_kept(browser: Client, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(APIView, "permission_classes", [Nobody])
    assert refused(browser.get(path)) == (403, "FORBIDDEN")


@PATHS
def test_a_throttle_of_the_site_is_kept(browser: Client, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(APIView, "throttle_classes", [Busy])
    answer = browser.get(path)
    assert refused(answer) == (429, "RATE_LIMITED")
    assert answer.headers["Retry-After"] == "7"


@PATHS
def test_a_login_of_the_site_is_kept(
    client: Client, ada: Any, agent: AgentProfile, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(APIView, "authentication_classes", [ByName])
    monkeypatch.setattr(ByName, "user", ada)
    assert refused(client.get(path)) == (401, "NOT_AUTHENTICATED")
    assert client.get(path, headers={"X-Name": "ada"}).status_code in {200, 404}


@pytest.mark.parametrize("path", ["/api/conversations", "/api/agent/runs"])
def test_a_missing_csrf_token_is_named(ada: Any, path: str) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(ada)
    answer = client.post(path, {"input": "hi"}, content_type="application/json")
    assert refused(answer) == (403, "FORBIDDEN")
    assert "CSRF" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("details", "shown"),
    [
        (None, None),
        ({"title": [ErrorDetail("Too long.")]}, {"title": ["Too long."]}),
        ({"a": {"0": [ErrorDetail("x")], "1": ["y"]}}, {"a": ["x", "y"]}),
        ({"a": "x"}, {"a": ["x"]}),
        ([ErrorDetail("No object.")], {"non_field_errors": ["No object."]}),
        ("Not JSON.", {"non_field_errors": ["Not JSON."]}),
        ([{"path": "a", "problem": "x"}, {"path": "a", "problem": "y"}], {"a": ["x", "y"]}),
    ],
)
def test_details_of_what_is_not_valid_have_one_shape(details: Any, shown: Any) -> None:
    assert details_of(ValidationFailed(details=details)) == shown


def test_details_of_another_error_are_its_own() -> None:
    assert details_of(Conflict(details=[{"agent": "a"}])) == [{"agent": "a"}]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("post", "/api/agent/runs", {"input": "hi", "nonsense": 1}),
        ("post", "/api/agent/runs", {"input": " "}),
        ("post", "/api/agent/runs", {"input": "hi", "allowed_tools": ["no.such"]}),
        ("post", "/api/conversations", {"pinned": "maybe"}),
        ("get", "/api/conversations", {"limit": "0"}),
        ("get", "/api/conversations", {"cursor": "x"}),
        ("get", f"/api/agent/runs/{UNKNOWN}/trace", {"after_sequence": "x"}),
        ("get", f"/api/agent/runs/{UNKNOWN}/events", {"after_sequence": "-2"}),
    ],
)
def test_an_invalid_field_is_named_with_sentences(
    browser: Client, agent: AgentProfile, method: str, path: str, body: dict[str, Any]
) -> None:
    options = {} if method == "get" else {"content_type": "application/json"}
    answer = getattr(browser, method)(path, body, **options)
    assert refused(answer) == (400, "VALIDATION_ERROR")
    details = answer.json()["error"]["details"]
    assert details.keys() == {list(body)[-1]}
    assert all(isinstance(text, str) and text for texts in details.values() for text in texts)
