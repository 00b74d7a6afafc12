"""The query parameters of an endpoint: those of its page, checked by the same form."""

from collections.abc import Mapping
from typing import Any, cast

from django.forms import CharField, ChoiceField, DateField, Field, IntegerField, UUIDField
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter

from agentcore.errors import ValidationFailed
from agentcore.paging import Slice
from governance.pages.filters import LIMIT, FilterForm
from governance.pages.page import Page
from governance.pages.renderer import listing_slice
from governance.question import Question


def question_of(page: Page, query: Mapping[str, str]) -> tuple[FilterForm, Question]:
    """
    Raises:
        ValidationFailed: a filter says nothing sensible; ``details`` has the messages of each.
    """
    unknown = sorted(query.keys() - {*_names(page)})
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


def _names(page: Page) -> list[str]:
    """Only a list has a length and places in it."""
    names = page.filters.base_fields
    return [*names, "cursor"] if page.listing else [name for name in names if name != "limit"]


def described(page: Page) -> list[OpenApiParameter]:
    """For OpenAPI, as the page's form checks them."""
    fields = page.filters.base_fields
    return [OpenApiParameter(name, _schema(fields[name]) if name in fields else str) for name in _names(page)]


def _schema(field: Field) -> dict[str, Any]:
    """What ``field`` takes, as JSON Schema."""
    match field:
        case ChoiceField():
            return {"type": "string", "enum": [value for value, _label in cast("Any", field.choices) if value]}
        case IntegerField():
            return {"type": "integer", "minimum": field.min_value, "maximum": field.max_value, "default": LIMIT}
        case DateField():
            return {"type": "string", "format": "date"}
        case UUIDField():
            return {"type": "string", "format": "uuid"}
        case CharField():
            return {"type": "string", "maxLength": field.max_length}
    raise TypeError(field)
