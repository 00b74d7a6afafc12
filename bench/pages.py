"""What the pages of records cost on a long ledger, against a short one: the promise is that they cost the same.

Each ledger has a database and a process of its own. Both are asked in turn: what disturbs one disturbs the other.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

import django
import psycopg
from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.db import connection
from django.test import Client
from psycopg import sql

from bench.measure import Ratio

SHORT, LONG = 2_000, 200_000
LIMIT, ROUNDS = 1.5, 25
VIEWS = (
    *("/governance/turns/", "/governance/audit/", "/governance/cost/"),
    *("/api/governance/turns", "/api/governance/audit", "/api/governance/cost"),
)
POSTGRES_URL = os.environ.get("BENCH_POSTGRES_URL", "postgres://postgres@127.0.0.1:5432/")
ROOT = Path(__file__).resolve().parent.parent


class Ledger:
    """A process that seeded a ledger and answers, for each address on its input, how many seconds the page took."""

    def __init__(self, database_url: str, turns: int) -> None:
        command = [sys.executable, "-m", "bench.pages", str(turns)]
        environment = os.environ | {"DATABASE_URL": database_url}
        self._process = subprocess.Popen(
            command, cwd=ROOT, env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def seconds(self, address: str) -> float:
        """An empty ``address`` waits until the ledger is seeded."""
        self._pipe(self._process.stdin).write(f"{address}\n")
        self._pipe(self._process.stdin).flush()
        answer = self._pipe(self._process.stdout).readline()
        if not answer:
            raise RuntimeError("The process with the ledger has ended.")
        return float(answer)

    def close(self) -> None:
        self._pipe(self._process.stdin).close()
        self._process.wait()

    @staticmethod
    def _pipe(pipe: IO[str] | None) -> IO[str]:
        assert pipe is not None
        return pipe


def ratios() -> list[Ratio]:
    """SQLite always, PostgreSQL where it answers."""
    found = []
    with TemporaryDirectory() as folder:
        found += _compared("SQLite", *(f"sqlite:///{folder}/{name}.sqlite3" for name in ("short", "long")))
    if _answers(POSTGRES_URL):
        with _database("steward_bench_short") as short, _database("steward_bench_long") as long:
            found += _compared("PostgreSQL", short, long)
    else:
        print("PostgreSQL does not answer: its pages are not measured.", file=sys.stderr)
    return found


def _compared(name: str, short_url: str, long_url: str) -> list[Ratio]:
    with ExitStack() as stack:
        pair = [Ledger(short_url, SHORT), Ledger(long_url, LONG)]
        for ledger in pair:
            stack.callback(ledger.close)
        for ledger in pair:
            ledger.seconds("")
        unit = f"× with {SHORT} turns"
        return [Ratio(f"{view} {name}", _ratio(pair, view), unit, _limit(view)) for view in VIEWS]


def _limit(view: str) -> float | None:
    """The promise is of the pages. An answer without a page around it is so short that today's turns show in it."""
    return None if view.startswith("/api/") else LIMIT


def _ratio(pair: list[Ledger], view: str) -> float:
    rounds = [[ledger.seconds(view) for ledger in pair] for _round in range(ROUNDS)]
    short, long = (min(times) for times in zip(*rounds, strict=True))
    print(f"  {view}: {short * 1000:.1f} ms, {long * 1000:.1f} ms", file=sys.stderr)
    return long / short


def _answers(url: str) -> bool:
    try:
        psycopg.connect(url, connect_timeout=2).close()
    except psycopg.OperationalError:
        return False
    return True


@contextmanager
def _database(name: str) -> Iterator[str]:
    """A new database for as long as it is used; its address."""
    drop = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))
    with psycopg.connect(POSTGRES_URL, autocommit=True) as connection:
        connection.execute(drop)
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            yield f"{POSTGRES_URL}{name}"
        finally:
            connection.execute(drop)


def _reader() -> Client:
    """A superuser's browser."""
    user = get_user_model()._default_manager.create_superuser("bench")
    client = Client()
    client.force_login(user)
    return client


def serve(turns: int) -> None:
    django.setup()
    # The test client's name for itself; DEBUG would keep every statement in memory.
    settings.ALLOWED_HOSTS, settings.DEBUG = ["testserver"], False
    call_command("migrate", verbosity=0, interactive=False)
    call_command("seed_ledger", turns=turns, stdout=sys.stderr)
    client = _reader()
    for line in sys.stdin:
        print(_seconds(client, line.strip()), flush=True)


def _seconds(client: Any, address: str) -> float:
    # SQLite works inside this process, whose own time no neighbour disturbs.
    clock = time.process_time if connection.vendor == "sqlite" else time.perf_counter
    began = clock()
    if address and client.get(address).status_code != 200:
        raise AssertionError(f"{address} did not answer.")
    return clock() - began


if __name__ == "__main__":
    serve(int(sys.argv[1]))
