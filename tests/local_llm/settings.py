"""The site's settings, with patience: on a busy machine a small model reads its prompt slowly."""

from config.settings import *  # noqa: F403
from config.settings import STEWARD

STEWARD = {**STEWARD, "FIRST_TOKEN_TIMEOUT": 240, "IDLE_TIMEOUT": 240, "RUN_TIMEOUT": 480, "MAX_OUTPUT_TOKENS": 200}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
