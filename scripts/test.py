"""What ``make test`` runs: the suite on SQLite, then what depends on the database on PostgreSQL with Redis.

Arguments go to pytest. What the machine does not have is skipped with its reason; with ``CI=true`` it is a failure.
"""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import psycopg
import redis

ROOT = Path(__file__).resolve().parent.parent
# A name of its own for each clone: two that are tested at once must not drop each other's database.
POSTGRES_URL = f"postgres://postgres@127.0.0.1:5432/steward_{crc32(str(ROOT).encode()):08x}"
REDIS_URL = "redis://127.0.0.1:6379/15"
# A file stays on one worker: its servers and browsers are started once.
PYTEST = [sys.executable, "-m", "pytest", "-n", "2", "--dist", "loadfile"]
NOTHING_SELECTED = 5


@dataclass(frozen=True)
class Outcome:
    """How one part of the suite ended. ``reason`` says why it was skipped."""

    part: str
    is_failure: bool
    reason: str = ""

    def __str__(self) -> str:
        return f"{self.part}: {self.reason or ('failed' if self.is_failure else 'passed')}"


def is_ci() -> bool:
    return os.environ.get("CI", "").lower() in {"1", "true"}


def missing(part: str, reason: str) -> Outcome:
    return Outcome(part, is_ci(), f"{'failed' if is_ci() else 'skipped'}, {reason}")


def run_pytest(part: str, arguments: list[str], environment: dict[str, str]) -> Outcome:
    """Run pytest with ``environment`` in place of the caller's database and Redis."""
    kept = {key: value for key, value in os.environ.items() if key not in {"DATABASE_URL", "REDIS_URL"}}
    print(f"\n== {part}", flush=True)
    code = subprocess.run([*PYTEST, *arguments], cwd=ROOT, env=kept | environment, check=False).returncode
    nothing_chosen = code == NOTHING_SELECTED and len(sys.argv) > 1
    return Outcome(part, code != 0 and not nothing_chosen)


def on_sqlite(arguments: list[str]) -> Outcome:
    return run_pytest("suite on SQLite", ["-m", "not postgres and not redis", *arguments], {})


def _refusal(probe: Callable[[], None]) -> str | None:
    try:
        probe()
    except (psycopg.Error, redis.RedisError) as error:
        return " ".join(str(error).split())
    return None


def _probe_postgres(url: str) -> None:
    psycopg.connect(url, dbname="postgres", connect_timeout=3).close()


def _probe_redis(url: str) -> None:
    client = redis.Redis.from_url(url, socket_connect_timeout=3)
    client.ping()
    client.close()


def on_servers(arguments: list[str]) -> Outcome:
    """The tests that touch rows once more, where a deployment has them: on PostgreSQL, with Redis."""
    part = "PostgreSQL and Redis"
    postgres = os.environ.get("TEST_POSTGRES_URL", POSTGRES_URL)
    cache = os.environ.get("TEST_REDIS_URL", REDIS_URL)
    for name, probe, url in (("PostgreSQL", _probe_postgres, postgres), ("Redis", _probe_redis, cache)):
        refusal = _refusal(lambda probe=probe, url=url: probe(url))  # type: ignore[misc]
        if refusal:
            return missing(part, f"{name} does not answer: {refusal}")
    chosen = ["-m", "database or postgres or redis", *arguments]
    return run_pytest(part, chosen, {"DATABASE_URL": postgres, "REDIS_URL": cache})


def main(arguments: list[str]) -> int:
    outcomes = [on_sqlite(arguments), on_servers(arguments)]
    print("\n" + "\n".join(map(str, outcomes)))
    return int(any(outcome.is_failure for outcome in outcomes))


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
