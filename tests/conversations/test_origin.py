"""Which pages may open the socket. No test here has a database: nothing is read before the accept."""

import pytest
from channels.testing import WebsocketCommunicator

from conversations.routing import websocket

COOKIE = (b"cookie", b"sessionid=abcdefghijklmnopqrstuvwxyz")


async def handshake(*headers):
    """Whether it is accepted; else it is closed before, which a server answers with 403."""
    socket = WebsocketCommunicator(websocket, "/ws/agent/", headers=list(headers))
    is_accepted, _code = await socket.connect()
    if is_accepted:
        await socket.disconnect()
    return is_accepted


@pytest.mark.parametrize(
    ("origin", "is_accepted"),
    [
        (b"https://app.example", True),
        (b"https://APP.example:8443", True),
        (b"http://sub.other.example", True),
        (b"https://evil.example", False),
        (b"https://app.example.evil.example", False),
        (b"https://evil.example/app.example", False),
        (b"https://app.example@evil.example", False),
        (b"null", False),
        (b"", False),
        (b"app.example", False),
        (b"file://app.example", False),
        (b"http://[", False),
        (b"https://\xff", False),
    ],
)
async def test_only_pages_of_this_site_open_the_socket(settings, origin, is_accepted):
    settings.ALLOWED_HOSTS = ["app.example", ".other.example"]
    assert await handshake((b"origin", origin)) is is_accepted


async def test_a_missing_origin_is_refused_even_with_a_login(settings):
    settings.ALLOWED_HOSTS = ["app.example"]
    assert await handshake(COOKIE) is False


async def test_a_foreign_origin_is_refused_even_with_a_login(settings):
    settings.ALLOWED_HOSTS = ["app.example"]
    assert await handshake((b"origin", b"https://evil.example"), COOKIE) is False


async def test_two_origins_are_refused(settings):
    settings.ALLOWED_HOSTS = ["app.example"]
    assert await handshake((b"origin", b"https://app.example"), (b"origin", b"https://evil.example")) is False


@pytest.mark.parametrize(
    ("origin", "is_accepted"), [(b"https://app.example", True), (b"https://evil.example", False), (b"null", False)]
)
async def test_a_site_that_answers_to_every_host_still_refuses_other_sites(settings, origin, is_accepted):
    settings.ALLOWED_HOSTS = ["*"]
    assert await handshake((b"origin", origin), (b"host", b"app.example:8000")) is is_accepted


async def test_a_site_that_answers_to_every_host_refuses_a_missing_origin(settings):
    settings.ALLOWED_HOSTS = ["*"]
    assert await handshake((b"host", b"app.example")) is False


async def test_without_a_login_the_socket_is_accepted_then_closed_with_4401(settings):
    settings.ALLOWED_HOSTS = ["app.example"]
    socket = WebsocketCommunicator(websocket, "/ws/agent/", headers=[(b"origin", b"https://app.example")])
    assert (await socket.connect())[0] is True
    assert (await socket.receive_output())["code"] == 4401
