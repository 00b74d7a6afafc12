"""What Django itself refuses on this site: JSON of the one shape under ``/api/``, a page elsewhere."""

import json
from typing import Any

import pytest
from django.conf import settings
from django.core.exceptions import BadRequest, PermissionDenied
from django.http import HttpResponse
from django.test import RequestFactory
from django.urls import get_callable, get_resolver

REFUSALS: list[tuple[int, tuple[Any, ...], str]] = [
    (400, (BadRequest(),), "VALIDATION_ERROR"),
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


@pytest.mark.parametrize(
    ("path", "kind"), [("/api/agents", "application/json"), ("/agent/", "text/html; charset=utf-8")]
)
def test_a_missing_csrf_token_is_refused_in_the_shape_of_its_address(path: str, kind: str) -> None:
    answer = get_callable(settings.CSRF_FAILURE_VIEW)(RequestFactory().post(path), reason="")

    assert (answer.status_code, answer.headers["Content-Type"]) == (403, kind)
