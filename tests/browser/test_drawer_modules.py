"""The pure parts of the drawer, by Node's own test runner: nothing needs Node but this."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.mark.node
def test_the_pure_parts_of_the_drawer() -> None:
    files = sorted(str(file) for file in (ROOT / "tests/js").glob("*.test.js"))
    done = subprocess.run(["node", "--test", *files], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
