"""What ``make run`` starts: keys, migrations and demo data, then the whole site in this one process."""

import logging
import os
import sys
from functools import partial
from typing import Any

# Before Django: Twisted keeps the reactor that is imported first.
from daphne.server import Server  # isort: skip

import django
from channels.routing import get_default_application
from django.conf import settings
from django.core.checks import Tags
from django.core.exceptions import ImproperlyConfigured
from django.core.management import BaseCommand, call_command
from django.core.management.base import SystemCheckError
from django.db import DEFAULT_DB_ALIAS, OperationalError

from config.env import Environment, ensure_env_file
from scripts.ports import LOOPBACK, port_of, require_free

DEBUG_IS_OFF = """
DEBUG is off, so this is no demo:
- hosts that are served: {hosts} (ALLOWED_HOSTS); keys come from the environment or .env
- cookies go over HTTPS only; SECURE_COOKIES=0 lets people log in without it
- no users and no agent were made: .venv/bin/python manage.py createsuperuser, and manage.py first_agent
How to put it on a server: docs/howto/deploy.md"""


def check(**options: Any) -> None:
    """Run system checks, and show what they warn of.

    Raises:
        SystemCheckError: something is wrong; its text names each with its cure.
    """
    BaseCommand().check(**options)


def prepare_database() -> None:
    try:
        call_command("migrate", verbosity=0, interactive=False)
        check(tags=[Tags.database], databases=[DEFAULT_DB_ALIAS])
    except OperationalError as error:
        sys.exit(f"The database of DATABASE_URL does not answer: {error}")
    if settings.DEBUG:
        call_command("demo")


def prepare_static_files() -> None:
    """Without DEBUG only collected files are served, under names of their content."""
    if not settings.DEBUG:
        call_command("collectstatic", verbosity=0, interactive=False)


def welcome(port: int) -> None:
    if not settings.DEBUG:
        print(DEBUG_IS_OFF.format(hosts=", ".join(settings.ALLOWED_HOSTS)))
    print(f"\nSteward is running at http://{LOOPBACK}:{port} (Ctrl-C stops it)", flush=True)


def main() -> None:
    ensure_env_file()
    port = port_of(Environment().text("PORT", "8000"), "PORT")
    require_free(port, "make run PORT")
    # The demo's hints name the address.
    os.environ["PORT"] = str(port)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    check()
    prepare_database()
    prepare_static_files()
    # Our own line says it better than its three.
    logging.getLogger("daphne").setLevel(logging.WARNING)
    Server(
        get_default_application(),
        endpoints=[f"tcp:port={port}:interface={LOOPBACK}"],
        ready_callable=partial(welcome, port),
    ).run()


if __name__ == "__main__":
    try:
        main()
    except (ImproperlyConfigured, SystemCheckError) as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit(130)
