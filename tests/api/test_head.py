"""HEAD of what is streamed. ``tests/live`` has it on a connection."""

from collections.abc import AsyncIterator
from io import BytesIO

from django.http import FileResponse, HttpResponse, StreamingHttpResponse
from django.test import RequestFactory

from agentcore.http import head_without_body

REQUESTS = RequestFactory()


def test_a_file_is_closed_unread() -> None:
    file = BytesIO(b"whole")
    response = head_without_body(lambda request: FileResponse(file))(REQUESTS.head("/"))
    assert b"".join(response) == b""
    response.close()
    assert file.closed


async def test_a_stream_on_the_event_loop_is_not_begun() -> None:
    async def parts() -> AsyncIterator[bytes]:
        raise AssertionError("read")
        yield b""

    async def view(request: object) -> StreamingHttpResponse:
        return StreamingHttpResponse(parts(), headers={"X-Kept": "1"})

    response = await head_without_body(view)(REQUESTS.head("/"))
    assert response.headers["X-Kept"] == "1"
    assert [part async for part in response] == []


def test_other_answers_stay_as_they_are() -> None:
    layer = head_without_body(lambda request: HttpResponse(b"whole"))
    assert layer(REQUESTS.head("/")).content == b"whole"
    stream = head_without_body(lambda request: StreamingHttpResponse([b"whole"]))
    assert b"".join(stream(REQUESTS.get("/"))) == b"whole"
