"""HEAD of what is streamed, on a connection that goes on."""

import socket
from contextlib import closing

import httpx
import pytest

from tests.site import Site


def answers(site: Site, client: httpx.Client, *requests: str) -> bytes:
    """All that comes back on one connection for ``requests``; the last one ends it."""
    cookies = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    common = f"HTTP/1.1\r\nHost: 127.0.0.1:{site.port}\r\nCookie: {cookies}\r\n"
    *first, last = [f"{request} {common}" for request in requests]
    with socket.create_connection(("127.0.0.1", site.port), timeout=20) as connection:
        connection.sendall("".join([*(f"{text}\r\n" for text in first), f"{last}Connection: close\r\n\r\n"]).encode())
        with connection.makefile("rb") as file:
            return file.read()


def path_of(client: httpx.Client, path: str) -> str:
    """``path`` with the id of a run whose events come one after another."""
    return path.format(run_id=client.post("/api/agent/runs", json={"input": "/stream 10 50"}).json()["run_id"])


@pytest.mark.parametrize("path", ["/api/agent/runs/{run_id}/events", "/governance/turns/export.csv"])
def test_head_of_a_stream_has_no_body_and_the_next_request_gets_its_own_answer(site: Site, path: str) -> None:
    with closing(site.login("admin")) as admin:
        path = path_of(admin, path)
        head, _blank, rest = answers(site, admin, f"HEAD {path}", "GET /api/agents").partition(b"\r\n\r\n")
        whole = admin.get(path)

    assert whole.text
    assert head.startswith(b"HTTP/1.1 200")
    assert f"content-type: {whole.headers['Content-Type']}" in head.decode().lower()
    assert rest.startswith(b"HTTP/1.1 200")
    assert b'"results"' in rest
