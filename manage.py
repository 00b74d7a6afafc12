#!/usr/bin/env python
"""The site's commands."""

import os
import sys

from django.core.management import execute_from_command_line

from config.env import ensure_env_file


def main() -> None:
    ensure_env_file()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
