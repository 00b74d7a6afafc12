"""The other end of a drawer: the real files of the page, and a server that says what the test says."""

import json
import mimetypes
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.template.loader import render_to_string
from playwright.sync_api import Locator, Page, Route, WebSocketRoute

from agentcore.http import CONTENT_SECURITY_POLICY
from conversations.texts import drawer_texts

ROOT = Path(__file__).resolve().parent.parent.parent
ORIGIN = "http://127.0.0.1:9"
MOCK = {"provider_id": "mock", "model": "mock-1"}


@dataclass
class Server:
    """The other end: what it was asked, what it says. ``stored`` is what the API answers by path."""

    page: Page
    stored: dict[str, Any] = field(default_factory=dict)
    requested: list[str] = field(default_factory=list)
    posted: list[tuple[str, Any]] = field(default_factory=list)
    is_away: bool = False
    suggestions: list[str] = field(default_factory=lambda: ["What is new?", "Show a tool | /tool x {}"])
    sockets: list[WebSocketRoute] = field(default_factory=list)
    frames: list[dict[str, Any]] = field(default_factory=list)
    sequence: int = -1

    def http(self, route: Route) -> None:
        self.requested.append(route.request.url)
        parts = urlsplit(route.request.url)
        if not route.request.url.startswith(ORIGIN):
            route.abort()
        elif parts.path == "/":
            route.fulfill(
                body=host_page(self.suggestions),
                content_type="text/html",
                headers={"Content-Security-Policy": CONTENT_SECURITY_POLICY},
            )
        elif parts.path.startswith("/api/"):
            self.api(route, parts.path.removeprefix("/api/"))
        else:
            file = ROOT / parts.path.lstrip("/")
            route.fulfill(body=file.read_bytes(), content_type=mimetypes.guess_type(file.name)[0])

    def api(self, route: Route, path: str) -> None:
        if route.request.method == "POST":
            assert route.request.headers["x-csrftoken"] == "token"
            self.posted.append((path, route.request.post_data_json))
        if path in self.stored:
            route.fulfill(json=self.stored[path])
        else:
            route.fulfill(status=404, json={"error": {"code": "NOT_FOUND", "message": "Not found."}})

    def socket(self, socket: WebSocketRoute) -> None:
        if self.is_away:
            socket.close(code=1011)
            return
        self.sockets.append(socket)
        socket.on_message(lambda text: self.frames.append(json.loads(str(text))))

    def say(self, **frame: Any) -> None:
        self.sockets[-1].send(json.dumps(frame))

    def wait_for(self, kind: str, number: int = 1) -> dict[str, Any]:
        """The ``number``-th frame of that kind, once it was sent."""
        for _ in range(100):
            found = [frame for frame in self.frames if frame["type"] == kind]
            if len(found) >= number:
                return found[number - 1]
            self.page.wait_for_timeout(20)
        raise AssertionError(f"No {kind} in {self.frames}")

    def accept(self, number: int = 1) -> None:
        send = self.wait_for("send", number)
        self.sequence = -1
        self.say(type="accepted", send_id=send["send_id"], run_id="r", conversation_id="c")

    def event(self, kind: str, **data: Any) -> None:
        self.sequence += 1
        envelope = {"run_id": "r", "sequence": self.sequence, "type": kind, "created_at": "2026-01-01T10:00:00Z"}
        self.say(type="event", event=envelope | {"data": data})

    def delta(self, text: str) -> None:
        self.event("TextDelta", message_id="m", text=text)

    def answer(self, text: str) -> None:
        self.event("RunStarted", input="hi")
        self.event("MessageCompleted", message_id="m", text=text)
        self.event("RunCompleted", output=text, finish_reason="stop", usage=None, cost=None)


def host_page(suggestions: list[str]) -> str:
    """A page of a host site, with the drawer as the template tag writes it."""
    context = {
        "mode": "drawer", "user_id": 1, "user_name": "Ada", "agent": "", "agent_name": "Steward",
        "agent_description": "", "suggestions": json.dumps(suggestions),
        "model": json.dumps(MOCK), "offline": json.dumps(["mock"]), "model_help": "Ask Bo.", "max_chars": 400,
        "texts": json.dumps(drawer_texts()), "csrf": "token", "api": "/api/", "socket": "/ws/agent/",
        "page_url": "/agent/", "login_url": "/accounts/login/", "next": "/",
    }  # fmt: skip
    drawer = render_to_string("conversations/_drawer.html", context)
    return f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Host</title><p>Host page</p>{drawer}</html>'


def visit(page: Page) -> None:
    page.goto(f"{ORIGIN}/")
    page.locator("steward-drawer[data-ready]").wait_for(state="attached")


def box(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Message Steward")


def open_drawer(page: Page) -> None:
    visit(page)
    page.get_by_role("button", name="Ask Steward").click()


def ask(page: Page, server: Server, text: str = "hi") -> None:
    open_drawer(page)
    box(page).fill(text)
    box(page).press("Enter")
    server.accept()


def until(page: Page, holds: str) -> None:
    """Wait until an expression holds: asked from outside, since the page's policy lets nobody evaluate text in it."""
    for _turn in range(200):
        if page.evaluate(holds):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"It never held: {holds}")
