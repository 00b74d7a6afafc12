"""The environment of the tests: fixed keys, so that no test depends on a private file.

A plugin that pytest loads first (``-p`` in pyproject.toml): settings are read before any ``conftest.py``.
"""

import os
from urllib.parse import urlsplit

LAST_REDIS_DATABASE = 15


def own_redis_database(url: str, worker: str) -> str:
    """``url`` with the database of one worker of the suite: who shares a server must not share its cache."""
    number = int(worker.removeprefix("gw") or 0)
    return urlsplit(url)._replace(path=f"/{LAST_REDIS_DATABASE - number}").geturl()


os.environ.setdefault("SECRET_KEY", "only-for-tests-only-for-tests-only-for-tests-only-for-tests")
os.environ.setdefault("DEBUG", "1")
os.environ.setdefault("STEWARD_CREDENTIAL_KEYS", "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=")
if os.environ.get("REDIS_URL"):
    os.environ["REDIS_URL"] = own_redis_database(os.environ["REDIS_URL"], os.environ.get("PYTEST_XDIST_WORKER", ""))
