"""The site's settings, with the tests' own tools and a lease that is over soon."""

from config.settings import *  # noqa: F403
from config.settings import INSTALLED_APPS, STEWARD

INSTALLED_APPS = [*INSTALLED_APPS, "tests.live.slowtools"]
STEWARD = {**STEWARD, "LEASE_SECONDS": 3}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
