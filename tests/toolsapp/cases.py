"""The given cases of tools: a source, its calls, and what is right."""

import json
import sys
from collections.abc import Callable, Iterator
from functools import cache
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any

FILE = Path(__file__).resolve().parent.parent / "data" / "cases.jsonl"
_numbers = count()


@cache
def tool_cases() -> dict[str, dict[str, Any]]:
    """Every case of kind ``python_tool``, by id."""
    lines = FILE.read_text(encoding="utf-8").split("\n")
    cases = [json.loads(line) for line in lines if line.strip()]
    return {case["id"]: case for case in cases if case["input"]["kind"] == "python_tool"}


def function_of(code: str) -> Callable[..., Any]:
    """The last function that ``code`` defines, in a module of its own so that its types can be looked up."""
    module = ModuleType(f"tool_case_{next(_numbers)}")
    sys.modules[module.__name__] = module
    exec(compile(code, module.__name__, "exec"), module.__dict__)
    own = [item for item in vars(module).values() if getattr(item, "__module__", "") == module.__name__]
    return [item for item in own if not isinstance(item, type)][-1]


def subschemas(schema: Any) -> Iterator[dict[str, Any]]:
    """``schema`` and everything inside it that is an object."""
    if isinstance(schema, dict):
        yield schema
        for value in schema.values():
            yield from subschemas(value)
    if isinstance(schema, list):
        for value in schema:
            yield from subschemas(value)


def resolved(root: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """Follow ``$ref`` from the document root.

    Raises:
        KeyError: it leads nowhere.
    """
    while "$ref" in schema:
        target: Any = root
        for part in schema["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        schema = target
    return schema
