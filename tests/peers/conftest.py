"""Servers that nobody here wrote, each started once. What is not installed skips its tests, in CI too."""

import json
import os
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import pytest_asyncio

from agentcore.providers.connections import close_connections
from scripts import peers
from scripts.llm_models import QWEN_CODER, SMOLLM2
from scripts.llm_process import serving
from tests.local_llm.conftest import missing as model_missing
from tests.peers.asking import Server
from tests.site import ROOT, free_port

MISSING: dict[str, Callable[[], str | None]] = {
    "aimock": peers.aimock_missing,
    "litellm": peers.missing,
    "llama": lambda: model_missing(SMOLLM2, "make local-llm"),
    "llama_tools": lambda: model_missing(QWEN_CODER, "make local-llm TOOLS=1"),
}
OWN = Path(__file__).parent
GIVE_UP_S = 120


def pytest_runtest_setup(item: pytest.Item) -> None:
    for fixture in MISSING.keys() & {*getattr(item, "fixturenames", ())}:
        if reason := MISSING[fixture]():
            pytest.skip(reason)


@pytest_asyncio.fixture(autouse=True)
async def _connections_end_with_their_test() -> AsyncIterator[None]:
    yield
    await close_connections()


@contextmanager
def started(ready: str, *command: str | Path, **environment: str) -> Iterator[None]:
    """A server's process, while it runs and once it has said that it is ``ready``."""
    process = subprocess.Popen(
        [str(word) for word in command],
        cwd=ROOT,
        env=os.environ | environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert process.stdout
    try:
        said = []
        for line in process.stdout:
            said.append(line)
            if ready in line:
                break
        else:
            pytest.fail("".join(said[-20:]), pytrace=False)
        yield
    finally:
        process.kill()
        process.communicate(timeout=GIVE_UP_S)


@pytest.fixture(scope="session")
def aimock() -> Iterator[Server]:
    """The mock server of many providers. Its answers depend on the words of the question: ``aimock.json``."""
    port = str(free_port())
    command = ("node", peers.AIMOCK / "dist" / "cli.js", "--port", port, "--fixtures", OWN / "aimock.json")
    with started("listening on", *command):
        yield Server(f"http://127.0.0.1:{port}", "gpt-4o")


@pytest.fixture(scope="session")
def litellm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """LiteLLM's proxy with mocked answers."""
    port, folder = str(free_port()), tmp_path_factory.mktemp("litellm")
    (folder / "litellm_auth.py").write_text((OWN / "litellm_auth.py").read_text("utf-8"), "utf-8")
    models = {"mock-gpt": "openai/gpt-4o-mini", "mock-claude": "anthropic/claude-3-5-haiku-latest"}
    answer = {"api_key": "none", "mock_response": "Hello from LiteLLM mock."}
    config = {
        "model_list": [
            {"model_name": name, "litellm_params": {"model": model, **answer}} for name, model in models.items()
        ],
        "general_settings": {"custom_auth": "litellm_auth.allowed", "master_key": "sk-only-for-tests-of-this-proxy"},
    }
    # JSON is YAML.
    (folder / "config.yaml").write_text(json.dumps(config), "utf-8")
    command = (peers.LITELLM, "--config", folder / "config.yaml", "--host", "127.0.0.1", "--port", port)
    with started("Uvicorn running on", *command, LITELLM_LOCAL_MODEL_COST_MAP="True"):
        yield Server(f"http://127.0.0.1:{port}", "mock-gpt")


@pytest.fixture(scope="session")
def llama() -> Iterator[Server]:
    """llama.cpp's own server with a small model."""
    with serving(SMOLLM2) as server:
        yield Server(server.address, SMOLLM2.name)


@pytest.fixture(scope="session")
def llama_tools() -> Iterator[Server]:
    """The same with a model that calls tools."""
    with serving(QWEN_CODER) as server:
        yield Server(server.address, QWEN_CODER.name)
