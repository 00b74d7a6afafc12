"""A NUL in what a browser sends: PostgreSQL fails on it, so it never gets there."""

import pytest
from django.conf import settings
from django.contrib.auth import get_user_model
from django.test import AsyncClient, Client

from conversations.login import login_key

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]

# As long as a real one: a shorter key is not even looked for.
COOKIE = f'{settings.SESSION_COOKIE_NAME}="{"a" * 31}\\000"'
ADMIN = "/admin/agentcore/provider/"


@pytest.fixture
def root() -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(get_user_model().objects.create_superuser("root"))
    return client


@pytest.mark.parametrize(
    ("path", "status"), [("/", 200), ("/accounts/login/", 200), ("/api/agents", 401), ("/governance/turns/", 302)]
)
def test_a_session_cookie_with_a_nul_is_no_session(path: str, status: int) -> None:
    client = Client(raise_request_exception=False)
    assert client.get(path, headers={"cookie": COOKIE}).status_code == status


async def test_a_view_on_the_event_loop_has_no_such_session_either() -> None:
    client = AsyncClient(raise_request_exception=False)
    path = "/api/agent/runs/01900000-0000-7000-8000-000000000000/events"
    assert (await client.get(path, headers={"cookie": COOKIE})).status_code == 401


def test_a_socket_has_no_such_login() -> None:
    assert login_key({"headers": [(b"cookie", COOKIE.encode())]}) == ""


@pytest.mark.parametrize("name", ["csrftoken", "django_language", "messages"])
def test_other_cookies_with_a_nul_are_passed_over(name: str) -> None:
    client = Client(raise_request_exception=False)
    assert client.get("/accounts/login/", headers={"cookie": f'{name}="a\\000"'}).status_code == 200


@pytest.mark.parametrize(
    ("path", "query"),
    [
        (ADMIN, {"slug": "a\0"}),
        (ADMIN, {"q": "a\0"}),
        (f"{ADMIN}a%00/change/", {}),
        (f"{ADMIN}a%00/history/", {}),
        (
            "/admin/autocomplete/",
            {"term": "\0", "app_label": "agentcore", "model_name": "agentroute", "field_name": "provider"},
        ),
        ("/api/conversations", {"q": "\0", "cursor": "\0"}),
        ("/governance/turns/", {"model": "\0", "cursor": "\0"}),
        ("/accounts/login/", {"next": "/\0"}),
    ],
)
def test_an_address_with_a_nul_is_answered(root: Client, path: str, query: dict[str, str]) -> None:
    assert root.get(path, query).status_code < 500


@pytest.mark.parametrize("path", ["/accounts/login/", "/admin/login/"])
def test_a_login_with_a_nul_is_refused(path: str) -> None:
    client = Client(raise_request_exception=False)
    assert client.post(path, {"username": "a\0", "password": "a\0"}).status_code == 200
    assert settings.SESSION_COOKIE_NAME not in client.cookies
