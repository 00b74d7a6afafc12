"""What ``make run`` starts: keys, migrations and demo data, then the whole site in this one process."""

import os
import socket
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

HOST = "127.0.0.1"

WELCOME = """
Steward is running at http://{host}:{port}

Log in and open the drawer (bottom right, or http://{host}:{port}/agent/). Try:
  Find me a flight from Shanghai to Tokyo tomorrow.
  /tool math.add {{"left": 2, "right": 3}}      the offline model 'mock-1' takes directives
Then log in as operator and read what was recorded: http://{host}:{port}/governance/turns/
Providers, agents and prices: http://{host}:{port}/admin/ as admin. A real model: make local-llm

Ctrl-C stops it.
"""


def chosen_port() -> int:
    """``PORT``, of the environment or the private file."""
    text = Environment().text("PORT", "8000")
    if not text.isdigit() or not 0 < int(text) < 65536:
        sys.exit(f"PORT={text} is no port: use a number from 1 to 65535.")
    return int(text)


def require_free(port: int) -> None:
    """End with what to do when somebody listens on ``port``."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except PermissionError:
            sys.exit(f"This user may not listen on port {port}. Take a higher one: make run PORT=8001")
        except OSError:
            sys.exit(f"Port {port} is taken, maybe by another 'make run'. Stop that, or: make run PORT={port + 1}")


def prepare_database() -> None:
    try:
        call_command("migrate", verbosity=0, interactive=False)
    except OperationalError as error:
        sys.exit(f"The database of DATABASE_URL does not answer: {error}")
    if settings.DEBUG:
        call_command("demo")


def welcome(port: int) -> None:
    print(WELCOME.format(host=HOST, port=port), flush=True)


def main() -> None:
    ensure_env_file()
    port = chosen_port()
    require_free(port)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    prepare_database()
    Server(
        get_default_application(),
        endpoints=[f"tcp:port={port}:interface={HOST}"],
        ready_callable=partial(welcome, port),
    ).run()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
