"""The pure parts of the drawer, by Node's own test runner: nothing needs Node but this."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
NODE = shutil.which("node")


@pytest.mark.skipif(NODE is None, reason="Node is not installed.")
def test_the_pure_parts_of_the_drawer() -> None:
    files = sorted(str(file) for file in (ROOT / "tests/js").glob("*.test.js"))
    done = subprocess.run([NODE or "node", "--test", *files], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
