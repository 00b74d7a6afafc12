"""What ``make run`` starts: keys, migrations and demo data, then the whole site in this one process."""

import logging
import os
import sys
from functools import partial

# Before Django: Twisted keeps the reactor that is imported first.
from daphne.server import Server  # isort: skip

import django
from channels.routing import get_default_application
from django.conf import settings
from django.core.management import call_command
from django.db import OperationalError

from config.env import Environment, ensure_env_file
from scripts.ports import LOOPBACK, port_of, require_free


def prepare_database() -> None:
    try:
        call_command("migrate", verbosity=0, interactive=False)
    except OperationalError as error:
        sys.exit(f"The database of DATABASE_URL does not answer: {error}")
    if settings.DEBUG:
        call_command("demo")


def welcome(port: int) -> None:
    print(f"\nSteward is running at http://{LOOPBACK}:{port} (Ctrl-C stops it)", flush=True)


def main() -> None:
    ensure_env_file()
    port = port_of(Environment().text("PORT", "8000"), "PORT")
    require_free(port, "make run PORT")
    # The demo's hints name the address.
    os.environ["PORT"] = str(port)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    prepare_database()
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
    except KeyboardInterrupt:
        sys.exit(130)
