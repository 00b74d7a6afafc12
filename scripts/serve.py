"""What ``make run`` starts: keys, migrations and demo data, then the whole site in this one process."""

import logging
import os
import sys
from functools import partial

# Before Django: Twisted keeps the reactor that is imported first.
from daphne.server import Server  # isort: skip

from channels.routing import get_default_application
from django.conf import settings
from django.core.management import call_command

from config.env import Environment
from scripts.ports import LOOPBACK, port_of, require_free
from scripts.site import migrate, set_up

DEBUG_IS_OFF = """
DEBUG is off, so this is no demo:
- hosts that are served: {hosts} (ALLOWED_HOSTS); keys come from the environment or .env
- cookies go over HTTPS only; SECURE_COOKIES=0 lets people log in without it
- no users and no agent were made: .venv/bin/python manage.py createsuperuser, and manage.py first_agent
How to put it on a server: docs/howto/deploy.md"""


def welcome(port: int) -> None:
    if not settings.DEBUG:
        print(DEBUG_IS_OFF.format(hosts=", ".join(settings.ALLOWED_HOSTS)))
    print(f"\nSteward is running at http://{LOOPBACK}:{port} (Ctrl-C stops it)", flush=True)


def main() -> None:
    port = port_of(Environment().text("PORT", "8000"), "PORT")
    require_free(port, "make run PORT")
    # The demo's hints name the address.
    os.environ["PORT"] = str(port)
    set_up()
    migrate()
    if settings.DEBUG:
        call_command("demo")
    else:
        # Without DEBUG only collected files are served, under names of their content.
        call_command("collectstatic", verbosity=0, interactive=False)
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
