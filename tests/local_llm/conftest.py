"""The site and, beside it, the real model's server: both as a user starts them."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import httpx
import pytest

from scripts.llm_models import QWEN_CODER, SMOLLM2, Weights
from tests.site import ROOT, Site, free_port

SETTINGS = {"DJANGO_SETTINGS_MODULE": "tests.local_llm.settings", "REDIS_URL": ""}


def missing(weights: Weights, command: str) -> str | None:
    """Why a model cannot be had: it is an option, and never fetched by a test."""
    if find_spec("xllamacpp") is None:
        return f"llama.cpp is not installed; '{command}' installs it."
    if not weights.path.exists():
        return f"{weights.path} is missing; '{command}' fetches it."
    return None


def pytest_runtest_setup(item: pytest.Item) -> None:
    needs_tools = "qwen" in getattr(item, "fixturenames", ())
    reason = missing(QWEN_CODER, "make local-llm TOOLS=1") if needs_tools else missing(SMOLLM2, "make local-llm")
    if reason:
        pytest.skip(reason)


@contextmanager
def local_llm(site: Site, *options: str) -> Iterator["subprocess.Popen[str]"]:
    """``make local-llm`` with ``options``, for ``site``, while it answers."""
    environment = {**os.environ, **SETTINGS, "DATABASE_URL": site.database_url, "DEBUG": "1"}
    command = [sys.executable, "-m", "scripts.local_llm", "--port", str(free_port()), *options]
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    try:
        assert any("answers at" in line for line in process.stdout), "The model did not start."
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    url = f"sqlite:///{tmp_path_factory.mktemp('local_llm') / 'site.sqlite3'}"
    running = Site(url, environment=SETTINGS).prepare().start()
    yield running
    running.kill()


@pytest.fixture(scope="module")
def smollm2(site: Site) -> Iterator[None]:
    with local_llm(site):
        yield


@pytest.fixture(scope="module")
def qwen(site: Site) -> Iterator[None]:
    """The model that calls tools, as the assistant's first route."""
    with local_llm(site, "--tools", "--default"):
        yield


@dataclass(frozen=True)
class Turn:
    """What a run showed."""

    events: list[dict[str, Any]]

    def data(self, type: str) -> list[dict[str, Any]]:
        return [event["data"] for event in self.events if event["type"] == type]

    @property
    def end(self) -> dict[str, Any]:
        assert self.events[-1]["type"] == "RunCompleted", self.events[-1]
        data: dict[str, Any] = self.events[-1]["data"]
        return data


def turn_of(lines: str) -> Turn:
    """The turn of a stream of server-sent events."""
    return Turn([json.loads(line.removeprefix("data: ")) for line in lines.split("\n") if line.startswith("data: ")])


Ask = Callable[..., Turn]


@pytest.fixture
def ask(site: Site) -> Iterator[Ask]:
    """Ask through the API, and wait for the end."""
    with closing(site.login()) as client:
        client.timeout = httpx.Timeout(600)

        def asked(text: str, **fields: Any) -> Turn:
            started = client.post("/api/agent/runs", json={"input": text, **fields}).raise_for_status().json()
            return turn_of(client.get(f"/api/agent/runs/{started['run_id']}/events").raise_for_status().text)

        yield asked
