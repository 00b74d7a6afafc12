"""The real site in a process of its own, on loopback: to be talked to as a user does, and to be killed."""

import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psycopg

ROOT = Path(__file__).resolve().parent.parent
PASSWORD = "only-for-tests-2026"
START_S = 30.0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@dataclass
class Site:
    """One Daphne process over ``database_url``. ``environment`` is added to that of the tests."""

    database_url: str
    environment: Mapping[str, str] = field(default_factory=dict)
    port: int = field(default_factory=free_port)
    process: "subprocess.Popen[bytes] | None" = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def _environment(self) -> dict[str, str]:
        own = {"DATABASE_URL": self.database_url, "STEWARD_DEMO_PASSWORD": PASSWORD, "DEBUG": "1"}
        return {**os.environ, **own, **self.environment}

    def manage(self, *arguments: str, **options: Any) -> "subprocess.CompletedProcess[str]":
        """Run a command of the site to its end."""
        command = [sys.executable, "manage.py", *arguments]
        return subprocess.run(
            command,
            cwd=ROOT,
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            **options,
        )

    def prepare(self) -> "Site":
        """Migrate and load the demo."""
        for command in ("migrate", "demo"):
            done = self.manage(command)
            assert done.returncode == 0, done.stderr
        return self

    def start(self) -> "Site":
        """Serve, and return once a page answers."""
        command = [sys.executable, "-m", "daphne", "-b", "127.0.0.1", "-p", str(self.port), "config.asgi:application"]
        self.process = subprocess.Popen(
            command, cwd=ROOT, env=self._environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline:
            try:
                if httpx.get(f"{self.url}/accounts/login/").status_code < 500:
                    return self
            except httpx.TransportError:
                time.sleep(0.05)
        raise AssertionError(f"The site did not start: {self.kill()}")

    def kill(self, how: signal.Signals = signal.SIGKILL) -> str:
        """End the process; return what it wrote to stderr."""
        if self.process is None:
            return ""
        self.process.send_signal(how)
        _out, errors = self.process.communicate(timeout=20)
        self.process = None
        return errors.decode(errors="replace")

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """What is in the database now, as another process sees it."""
        if self.database_url.startswith("sqlite"):
            with closing(sqlite3.connect(self.database_url.removeprefix("sqlite:///"))) as database:
                return database.execute(sql).fetchall()
        with psycopg.connect(self.database_url) as server:
            return server.execute(sql.encode()).fetchall()

    def login(self, username: str = "demo") -> httpx.Client:
        """A browser's client: a session, and the CSRF token with every request."""
        client = httpx.Client(base_url=self.url, timeout=20, follow_redirects=True)
        page = client.get("/accounts/login/").text
        found = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
        assert found, "The login page has no CSRF token."
        form = {"username": username, "password": PASSWORD, "csrfmiddlewaretoken": found[1]}
        answer = client.post("/accounts/login/", data=form, headers={"Referer": self.url})
        assert "sessionid" in client.cookies, answer.status_code
        client.headers["X-CSRFToken"] = client.cookies["csrftoken"]
        client.headers["Referer"] = self.url
        return client
