"""Every address of the site, read from its URL resolver."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver

CONVERTED = re.compile(r"<(?:\w+:)?(\w+)>")


@dataclass(frozen=True)
class Route:
    """``path`` has its parameters in braces: ``/api/agent/runs/{run_id}``."""

    path: str
    view: Callable[..., Any]


def routes() -> list[Route]:
    return list(_routes(get_resolver(), "/"))


def _routes(resolver: URLResolver, prefix: str) -> Iterator[Route]:
    for entry in resolver.url_patterns:
        path = prefix + CONVERTED.sub(r"{\1}", str(entry.pattern))
        if isinstance(entry, URLPattern):
            yield Route(path, entry.callback)
        else:
            yield from _routes(entry, path)
