"""A local model's server as a process of its own: started, awaited, and stopped by its own process id."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import httpx

from scripts.llm_models import Weights, ensure

ROOT = Path(__file__).resolve().parent.parent
STOP_WITHIN_S = 10


class ServerFailed(Exception):
    """The server did not start, or ended by itself."""


@dataclass(frozen=True)
class LocalServer:
    """A server that answers. ``address`` is without ``/v1``."""

    address: str
    process: subprocess.Popen[str]

    def wait(self) -> None:
        """Until it ends by itself."""
        self.process.wait()


def require_llama() -> None:
    """Install llama.cpp's bindings once; they are no dependency of the site."""
    if find_spec("xllamacpp"):
        return
    print("Installing llama.cpp, once ...", file=sys.stderr, flush=True)
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--only-binary", ":all:", "-c", "constraints.txt", "xllamacpp"]
    if subprocess.run(command, cwd=ROOT, check=False).returncode:
        raise ServerFailed("llama.cpp could not be installed. It needs x86-64 with AVX2 and a package index.")


def _started(weights: Weights, port: int) -> subprocess.Popen[str]:
    order = {
        "model": str(ensure(weights)),
        "name": weights.name,
        "port": port,
        "template": str(weights.template) if weights.template else None,
    }
    return subprocess.Popen(
        [sys.executable, str(ROOT / "scripts" / "llm_server.py"), json.dumps(order)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        # Ctrl-C is for us: we stop it when we have said so to the site.
        start_new_session=True,
    )


def _address(process: subprocess.Popen[str]) -> str:
    """The address that the process prints when its model is loaded.

    Raises:
        ServerFailed: it ended instead.
    """
    assert process.stdout
    line = next((line.strip() for line in process.stdout if line.startswith("http://")), None)
    if line is None or httpx.get(f"{line}/health", timeout=60, trust_env=False).status_code != httpx.codes.OK:
        raise ServerFailed("The model's server did not start; the lines above say why.")
    return line


def _stop(process: subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.wait(STOP_WITHIN_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    for pipe in (process.stdin, process.stdout):
        assert pipe
        pipe.close()


@contextmanager
def serving(weights: Weights, port: int = 0) -> Iterator[LocalServer]:
    """Serve ``weights`` on loopback until the block ends; 0 takes any free port.

    Raises:
        ServerFailed: it did not start.
        WeightsUnavailable: there is no such file.
    """
    process = _started(weights, port)
    try:
        yield LocalServer(_address(process), process)
    finally:
        _stop(process)
