"""Streaming an export: a part is read only when the one before it was sent."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, StreamingHttpResponse
from django.utils import timezone

from governance.bridge import aexport_part
from governance.pages.export import export_header, export_part
from governance.pages.page import Page
from governance.question import Question


def export_response(request: HttpRequest, page: Page, question: Question) -> StreamingHttpResponse:
    """A file with every row that ``question`` asks for; of nothing, its header line."""
    # Django gathers an iterator of the other kind in memory, whole.
    parts: Any = _aparts if isinstance(request, ASGIRequest) else _parts
    response = StreamingHttpResponse(parts(page, question), content_type="text/csv; charset=utf-8")
    name = f"{page.slug}-{timezone.localtime():%Y%m%d-%H%M%S}.csv"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    response.headers["Cache-Control"] = "no-store"
    return response


def _parts(page: Page, question: Question) -> Iterator[str]:
    yield export_header(page)
    part = export_part(page, question, "")
    yield part.text
    while part.next:
        part = export_part(page, question, part.next)
        yield part.text


async def _aparts(page: Page, question: Question) -> AsyncIterator[str]:
    yield export_header(page)
    part = await aexport_part(page, question, "")
    yield part.text
    while part.next:
        part = await aexport_part(page, question, part.next)
        yield part.text
