"""The API's OpenAPI description, and answers held against it."""

from functools import cache
from typing import Any

from drf_spectacular.generators import SchemaGenerator
from jsonschema import Draft202012Validator, FormatChecker


@cache
def description() -> dict[str, Any]:
    """The description as ``/api/schema/`` sends it."""
    found: dict[str, Any] = SchemaGenerator(urlconf="agentcore.urls").get_schema(request=None, public=True)
    return found


def operations() -> set[tuple[str, str]]:
    """(method, path) of every operation."""
    return {(method.upper(), path) for path, methods in description()["paths"].items() for method in methods}


def faults(method: str, path: str, status: int, answer: Any, media: str = "application/json") -> list[str]:
    """What of ``answer`` is not as described: also a field that the description does not have."""
    responses = description()["paths"][path][method.lower()]["responses"]
    described = responses.get(str(status), responses["default"])
    schema = described["content"][media]["schema"] | {"components": _strict(description()["components"])}
    validator = Draft202012Validator(schema, format_checker=FormatChecker())
    return [f"{'.'.join(map(str, error.path))}: {error.message}" for error in validator.iter_errors(answer)]


def _strict(node: Any) -> Any:
    """``node`` with every object closed whose properties it names."""
    if isinstance(node, list):
        return [_strict(item) for item in node]
    if not isinstance(node, dict):
        return node
    closed = {key: _strict(value) for key, value in node.items()}
    return closed | {"additionalProperties": False} if "properties" in node and "type" in node else closed
