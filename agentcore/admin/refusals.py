"""Refusals: what a service said no to, as errors of a form."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.exceptions import ValidationError

from agentcore.errors import AgentError


@contextmanager
def as_form_errors(field: str | None = None) -> Iterator[None]:
    """Turn an ``AgentError`` into an error of ``field``; None is the form as a whole."""
    try:
        yield
    except AgentError as error:
        raise ValidationError({field: error.message} if field else error.message) from None
