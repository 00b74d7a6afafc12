"""The site as a command of make needs it: settings that are right, a database that is migrated."""

import os
import sys
from typing import Any

import django
from django.core.checks import Tags
from django.core.exceptions import ImproperlyConfigured
from django.core.management import BaseCommand, call_command
from django.core.management.base import SystemCheckError
from django.db import DEFAULT_DB_ALIAS, OperationalError

from config.env import ensure_env_file


def set_up() -> None:
    """Load the settings and look at them; ends with what is wrong, each with its cure."""
    ensure_env_file()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        django.setup()
    except ImproperlyConfigured as error:
        sys.exit(str(error))
    check()


def check(**options: Any) -> None:
    """Run system checks, show what they warn of, and end with what is wrong."""
    try:
        BaseCommand().check(**options)
    except SystemCheckError as error:
        sys.exit(str(error))


def migrate() -> None:
    try:
        call_command("migrate", verbosity=0, interactive=False)
        check(tags=[Tags.database], databases=[DEFAULT_DB_ALIAS])
    except OperationalError as error:
        sys.exit(f"The database of DATABASE_URL does not answer: {error}")
