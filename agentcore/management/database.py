"""The database of a command: what a person at a terminal is told when it is away, or not migrated yet."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.management.base import CommandError
from django.db import OperationalError, ProgrammingError


@contextmanager
def usable_database() -> Iterator[None]:
    """
    Raises:
        CommandError: the block could not use the database.
    """
    try:
        yield
    except (OperationalError, ProgrammingError) as error:
        why = " ".join(str(error).split())
        raise CommandError(
            f"The database cannot be used: {why}\n"
            "Run 'manage.py migrate' ('make run' does, too); 'manage.py doctor' tells what else is wrong."
        ) from error
