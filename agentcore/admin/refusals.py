"""Refusals: what a service said no to, as errors of a form."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy

from agentcore.errors import AgentError

# Django's own sentence speaks of a “slug”, a word that no page has.
ID_FAULT = gettext_lazy("An id has letters without accents, digits, hyphens and underscores, and nothing else.")


@contextmanager
def as_form_errors(field: str | None = None) -> Iterator[None]:
    """Turn an ``AgentError`` into an error of ``field``; None is the form as a whole."""
    try:
        yield
    except AgentError as error:
        raise ValidationError({field: error.message} if field else error.message) from None
