"""Observations of a plain turn, as the ground tells them."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

from agentcore.chat import Route
from agentcore.ids import uuid7
from agentcore.messages import Usage
from agentcore.observers import Cost, ModelCallFinished, ModelCallStarted, RunEnded, RunStarted

AT = datetime(2026, 7, 1, 12, 0, tzinfo=UTC)
ROUTE = Route("mock", "mock-1")
LEDGER = "/governance/turns/"
OPERATOR = ["view_turn", "view_auditevent", "view_cost"]


@pytest.fixture
def run_id() -> UUID:
    return uuid7()


@pytest.fixture
def started() -> RunStarted:
    return RunStarted(
        at=AT,
        agent="assistant",
        purpose="chat",
        conversation_id=uuid7(),
        user_id="7",
        username="demo",
        tenant="",
        requested=ROUTE,
        input="Where is my flight?",
        config={"max_steps": 10},
    )


@pytest.fixture
def call_started() -> ModelCallStarted:
    return ModelCallStarted(at=AT, step=1, attempt=1, route=ROUTE)


@pytest.fixture
def call_finished() -> ModelCallFinished:
    return ModelCallFinished(
        at=AT + timedelta(seconds=1),
        step=1,
        attempt=1,
        route=ROUTE,
        outcome="ok",
        finish_reason="stop",
        usage=Usage(input_tokens=12, output_tokens=5, cached_input_tokens=4),
        cost=Cost(amount=Decimal("0.0000125"), prices={"input": "1", "output": "2"}),
        first_token_ms=80,
        duration_ms=1000,
    )


@pytest.fixture
def ended(started: RunStarted) -> RunEnded:
    return RunEnded(
        at=AT + timedelta(seconds=1),
        started=started,
        status="completed",
        finish_reason="stop",
        answered=ROUTE,
        usage=Usage(input_tokens=12, output_tokens=5, cached_input_tokens=4),
        cost=Cost(amount=Decimal("0.0000125")),
        model_calls=1,
        tool_calls=0,
        error=None,
        cancel_reason="",
        duration_ms=1000,
    )


@pytest.fixture
def failed(ended: RunEnded) -> Callable[..., RunEnded]:
    def make(**changes: Any) -> RunEnded:
        error = {"code": "PROVIDER_TIMEOUT", "message": "The provider did not answer in time."}
        return replace(ended, **({"status": "failed", "finish_reason": "", "error": error} | changes))

    return make


@pytest.fixture
def people() -> dict[str, User]:
    """The kinds of people of the access rules, by name."""
    people = {name: User.objects.create_user(name) for name in ("owner", "other", "staff", "operator", "admin")}
    User.objects.filter(username="staff").update(is_staff=True)
    User.objects.filter(username="admin").update(is_staff=True, is_superuser=True)
    people["operator"].user_permissions.set(
        Permission.objects.filter(codename__in=OPERATOR, content_type__app_label="governance")
    )
    return people


@pytest.fixture
def browse(people: dict[str, User]) -> Callable[..., Any]:
    """``browse(name, path, **query)``: the response that this person gets; an empty name is nobody."""

    def get(name: str, path: str = LEDGER, **query: str) -> Any:
        client = Client()
        if name:
            client.force_login(people[name])
        return client.get(path, query)

    return get
