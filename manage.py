#!/usr/bin/env python
"""The site's commands."""

import os
import sys


def main() -> None:
    # Here and not above, so that a Ctrl-C while Django loads ends as quietly as a later one.
    from django.core.exceptions import ImproperlyConfigured  # noqa: PLC0415
    from django.core.management import execute_from_command_line  # noqa: PLC0415

    from config.env import ensure_env_file  # noqa: PLC0415

    ensure_env_file()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(str(error))


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
