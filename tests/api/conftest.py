"""People with their logins, an agent on the mock provider, and an in-process client of the whole site."""

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import httpx
import pytest
import pytest_asyncio
from asgiref.sync import SyncToAsync
from django.core.asgi import get_asgi_application
from django.db import connections
from django.test import Client

from agentcore.models import AgentProfile, AgentRoute, ApiToken, Provider
from agentcore.pool import close_pools
from agentcore.runs.runtime import Runtime, runtime

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


@pytest.fixture
def agent(transactional_db: None) -> AgentProfile:
    provider = Provider.objects.create(slug="mock", provider_type="mock", name="Mock", default_model="mock-1")
    profile = AgentProfile.objects.create(slug="assistant", name="Assistant", suggestions=["Add 1 and 2"])
    AgentRoute.objects.create(agent=profile, provider=provider, position=0)
    return profile


@pytest_asyncio.fixture
async def process(agent: AgentProfile) -> AsyncIterator[Runtime]:
    """This test's runtime, without timers; it ends when its runs have."""
    current = runtime()
    current.start = lambda: None  # type: ignore[method-assign]
    yield current
    await current.close()


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


@pytest.fixture(autouse=True)
def _no_connection_outlives_a_test() -> Iterator[None]:
    yield
    close_pools()
    SyncToAsync.single_thread_executor.submit(connections.close_all).result()
