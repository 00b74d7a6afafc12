"""Which constraint refused a row: so that a decision is the database's, and never a guess."""

from collections.abc import Iterator

from django.apps import apps
from django.db import IntegrityError
from django.db.models import UniqueConstraint

_SQLITE = "UNIQUE constraint failed: "


def constraint_of(error: IntegrityError) -> str | None:
    """The name of the constraint that ``error`` is about, or None when the database does not say.

    PostgreSQL names it; SQLite names the columns of a unique one, which are looked up in the models.
    """
    diagnosis = getattr(error.__cause__, "diag", None)
    if diagnosis is not None:
        return str(diagnosis.constraint_name) if diagnosis.constraint_name else None
    _, found, columns = str(error).partition(_SQLITE)
    return _unique_over(set(columns.split(", "))) if found else None


def _unique_over(columns: set[str]) -> str | None:
    return next((name for name, own in _uniques() if own == columns), None)


def _uniques() -> Iterator[tuple[str, set[str]]]:
    for model in apps.get_models():
        options = model._meta
        for constraint in options.constraints:
            if isinstance(constraint, UniqueConstraint):
                own = (field.column for field in options.concrete_fields if field.name in constraint.fields)
                yield constraint.name, {f"{options.db_table}.{column}" for column in own}
