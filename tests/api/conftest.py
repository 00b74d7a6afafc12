"""People with their logins, and an in-process client of the whole site."""

from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import pytest
import pytest_asyncio
from django.core.asgi import get_asgi_application
from django.test import Client

from agentcore.models import ApiToken
from agentcore.runs.runtime import Runtime

SITE = "http://testserver"


@pytest.fixture
def ada(transactional_db: None, django_user_model: Any) -> Any:
    return django_user_model.objects.create_user("ada")


@pytest.fixture
def eve(transactional_db: None, django_user_model: Any) -> Any:
    return django_user_model.objects.create_user("eve")


@pytest.fixture
def token(ada: Any) -> str:
    return ApiToken.issue(user=ada, name="tests")[1]


@pytest.fixture
def browser(ada: Any) -> Client:
    """Ada's session."""
    client = Client()
    client.force_login(ada)
    return client


@pytest_asyncio.fixture
async def program(process: Runtime, token: str) -> AsyncIterator[httpx.AsyncClient]:
    """A program with Ada's token, talking to the site by ASGI: the middleware, the views and the runs are real."""
    transport = httpx.ASGITransport(app=get_asgi_application())
    headers = {"Authorization": f"Token {token}"}
    async with httpx.AsyncClient(transport=transport, base_url=SITE, headers=headers) as client:
        yield client


@pytest.fixture
def anonymous() -> Callable[[], httpx.AsyncClient]:
    return lambda: httpx.AsyncClient(transport=httpx.ASGITransport(app=get_asgi_application()), base_url=SITE)
