"""What Django itself refuses on this site: JSON of the one shape under ``/api/``, a page elsewhere."""

import json
from typing import Any

import pytest
from django.conf import settings
from django.core.exceptions import BadRequest, PermissionDenied, RequestDataTooBig
from django.http import HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.test import Client, RequestFactory
from django.urls import get_callable, get_resolver

from agentcore.api.errors import error_body
from agentcore.errors import ValidationFailed

UNKNOWN = "01980000-0000-7000-8000-000000000000"
CONVERSATION = f"/api/conversations/{UNKNOWN}"

REFUSALS: list[tuple[int, tuple[Any, ...], str]] = [
    (400, (BadRequest(),), "VALIDATION_ERROR"),
    (400, (MultiPartParserError("Invalid boundary in multipart: None"),), "VALIDATION_ERROR"),
    (403, (PermissionDenied(),), "FORBIDDEN"),
    (500, (), "INTERNAL_ERROR"),
]


def answered(path: str, status: int, *given: Any) -> HttpResponse:
    return get_resolver(settings.ROOT_URLCONF).resolve_error_handler(status)(RequestFactory().get(path), *given)


@pytest.mark.parametrize(("status", "given", "code"), REFUSALS)
def test_a_refusal_under_api_is_json(status: int, given: tuple[Any, ...], code: str) -> None:
    answer = answered("/api/agents", status, *given)

    assert (answer.status_code, json.loads(answer.content)["error"]["code"]) == (status, code)


@pytest.mark.parametrize(("status", "given", "code"), REFUSALS)
def test_a_refusal_elsewhere_is_a_page(status: int, given: tuple[Any, ...], code: str) -> None:
    answer = answered("/agent/", status, *given)

    assert (answer.status_code, answer.headers["Content-Type"]) == (status, "text/html; charset=utf-8")
    assert code not in answer.content.decode()


def test_a_form_beyond_the_limit_under_api_is_413() -> None:
    answer = answered("/api/agents", 400, RequestDataTooBig())

    assert (answer.status_code, json.loads(answer.content)["error"]["code"]) == (413, "PAYLOAD_TOO_LARGE")


def test_words_of_an_error_that_are_no_unicode_are_made_so() -> None:
    error = ValidationFailed("No \ud800.", details={"\udfff": ["a\0"]})

    body = error_body(error, RequestFactory().get("/api/agents"))["error"]

    assert (body["message"], body["details"]) == ("No \ufffd.", {"\ufffd": ["a\ufffd"]})


@pytest.mark.parametrize("path", ["/api/agent/runs", "/api/conversations", "/api/agents"])
@pytest.mark.parametrize(
    ("kind", "body", "expected"),
    [
        ("multipart/form-data", "x", (400, "VALIDATION_ERROR")),
        ("application/x-www-form-urlencoded", "a=" + "x" * 10_000_000, (413, "PAYLOAD_TOO_LARGE")),
    ],
    ids=["no boundary", "too long"],
)
def test_a_form_that_cannot_be_read_is_refused_while_its_token_is_looked_for(
    ada: Any, path: str, kind: str, body: str, expected: tuple[int, str]
) -> None:
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)
    client.force_login(ada)
    client.cookies["csrftoken"] = "a" * 32

    answer = client.post(path, body, content_type=kind)

    assert (answer.status_code, answer.json()["error"]["code"]) == expected


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("patch", CONVERSATION, {"title": "a\ud800"}),
        ("patch", CONVERSATION, {"title": ["\ud800"]}),
        ("patch", CONVERSATION, {"title": "a\0"}),
        ("patch", CONVERSATION, {"pinned": "\udfff\0"}),
        ("patch", CONVERSATION, "\ud800"),
        ("post", f"{CONVERSATION}/messages/{UNKNOWN}/feedback", {"rating": "\ud800\0"}),
        ("post", f"{CONVERSATION}/messages/{UNKNOWN}/feedback", {"rating": "up", "comment": "\ud800"}),
        ("post", "/api/agent/runs", {"input": {"\ud800": "\0"}}),
        ("post", "/api/agent/runs", {"input": "hi", "\ud800\0": 1}),
        ("post", "/api/agent/runs", {"input": "hi", "conversation_id": "\ud800"}),
        ("post", "/api/agent/runs", {"input": "hi", "max_steps": "\ud800\0"}),
        ("post", "/api/agent/runs", {"input": "hi", "send_id": "\0" * 65}),
    ],
)
def test_what_no_database_stores_is_refused_in_a_body(ada: Any, method: str, path: str, body: Any) -> None:
    client = Client()
    client.force_login(ada)

    answer = client.generic(method.upper(), path, json.dumps(body), content_type="application/json")

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "VALIDATION_ERROR")


@pytest.mark.parametrize(
    ("path", "kind"), [("/api/agents", "application/json"), ("/agent/", "text/html; charset=utf-8")]
)
def test_a_missing_csrf_token_is_refused_in_the_shape_of_its_address(path: str, kind: str) -> None:
    answer = get_callable(settings.CSRF_FAILURE_VIEW)(RequestFactory().post(path), reason="")

    assert (answer.status_code, answer.headers["Content-Type"]) == (403, kind)
