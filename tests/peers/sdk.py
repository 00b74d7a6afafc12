"""An SDK of others, in a program of its own: it is asked in JSON, and the product never imports it."""

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from scripts import peers


def python_with(package: str) -> str:
    """A Python that has the SDK; where there is none, the test is skipped with the reason."""
    if find_spec(package) is not None:
        return sys.executable
    if reason := peers.missing():
        pytest.skip(f"The SDK {package} cannot be imported, and of the libraries of others: {reason}")
    return str(peers.PYTHON)


def answered(python: str, program: Path, given: dict[str, Any]) -> dict[str, Any]:
    """What ``program`` says of ``given``."""
    ran = subprocess.run(
        [python, str(program)], input=json.dumps(given), capture_output=True, text=True, timeout=120, check=False
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    answer: dict[str, Any] = json.loads(ran.stdout)
    return answer
