"""The query parameters of an endpoint: those of its page, checked by the same form."""

from collections.abc import Mapping

from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter

from agentcore.errors import ValidationFailed
from agentcore.paging import Slice
from governance.pages.filters import FilterForm
from governance.pages.page import Page
from governance.pages.renderer import listing_slice
from governance.question import Question


def question_of(page: Page, query: Mapping[str, str]) -> tuple[FilterForm, Question]:
    """
    Raises:
        ValidationFailed: a filter says nothing sensible; ``details`` has the messages of each.
    """
    unknown = sorted(query.keys() - {*page.filters.base_fields, "cursor"})
    if unknown:
        # A misspelt filter would give an unfiltered list, which is a wrong answer.
        details = {name: [_("There is no such field.")] for name in unknown}
        raise ValidationFailed(_("One of the filters could not be understood."), details=details)
    form = page.filters(query)
    if not form.is_valid():
        details = {name: [str(text) for text in texts] for name, texts in form.errors.items()}
        raise ValidationFailed(_("One of the filters could not be understood."), details=details)
    return form, form.question()


def slice_of(page: Page, query: Mapping[str, str]) -> Slice:
    """
    Raises:
        ValidationFailed: a filter or the cursor is wrong.
    """
    form, question = question_of(page, query)
    return listing_slice(page, form, question, query.get("cursor", ""))


def described(page: Page) -> list[OpenApiParameter]:
    """For OpenAPI."""
    names = [name for name in page.filters.base_fields if page.listing or name != "limit"]
    own = [OpenApiParameter(name, int if name == "limit" else str) for name in names]
    return [*own, OpenApiParameter("cursor")] if page.listing else own
