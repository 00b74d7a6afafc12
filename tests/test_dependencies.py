"""What the wheel imports is what it says that it needs: a test environment has more than a new site does."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
SHIPPED = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]

# What a dependency always brings along, since its own interface is made of it.
CARRIED = {"asgiref": "django", "pydantic_core": "pydantic"}


def canonical(name: str) -> str:
    """Source: https://packaging.python.org/en/latest/specifications/name-normalization/"""
    return re.sub(r"[-_.]+", "-", name).lower()


def imported(package: str) -> Iterator[str]:
    """The top-level names that the modules of ``package`` import."""
    for file in (ROOT / package).rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                yield from (alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                yield node.module.partition(".")[0]


def test_every_import_of_the_shipped_packages_is_a_dependency() -> None:
    declared = {canonical(re.split(r"[^\w.-]", line)[0]) for line in PROJECT["project"]["dependencies"]}
    foreign = {name for package in SHIPPED for name in imported(package)} - sys.stdlib_module_names - {*SHIPPED}
    distributions = packages_distributions()
    undeclared = {
        name
        for name in foreign - {name for name, carrier in CARRIED.items() if carrier in declared}
        if not declared & {canonical(found) for found in distributions[name]}
    }
    assert undeclared == set()
    assert "django" in foreign
