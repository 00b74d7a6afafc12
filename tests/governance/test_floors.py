"""Floors of governance: what is on record knows nothing of the pages that show it."""

from pathlib import Path

import pytest

from tests.architecture import imports_of

ROOT = Path(__file__).resolve().parent.parent.parent
UPPER = ("governance.pages", "governance.api", "governance.views", "governance.exports")
LOWER = [
    *(ROOT / "governance" / name for name in ("days.py", "question.py", "tallies.py", "usage.py", "report.py")),
    *sorted((ROOT / "governance" / "models").glob("*.py")),
    *sorted((ROOT / "governance" / "services").glob("*.py")),
]


@pytest.mark.parametrize("file", LOWER, ids=lambda file: file.stem)
def test_a_lower_floor_imports_no_page(file: Path) -> None:
    assert {name for name in imports_of(file) if name.startswith(UPPER)} == set()
