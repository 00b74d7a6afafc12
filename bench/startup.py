"""What a start costs: from the command of ``make run`` to its first page, with everything installed and migrated."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx

from bench.measure import Ratio
from scripts.ports import LOOPBACK, free_port

ROOT = Path(__file__).resolve().parent.parent
LIMIT_S, GIVE_UP_S, STARTS = 5.0, 60.0, 3


def _first_page_s(database_url: str) -> float:
    """Seconds from the start of the process to the page; it is stopped then."""
    port = free_port()
    own = {"PORT": str(port), "DATABASE_URL": database_url, "DEBUG": "1"}
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "scripts.serve"], cwd=ROOT, env=os.environ | own, stdout=subprocess.DEVNULL
    )
    try:
        _wait_for(f"http://{LOOPBACK}:{port}/", began + GIVE_UP_S)
        return time.perf_counter() - began
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()


def _wait_for(address: str, deadline: float) -> None:
    while time.perf_counter() < deadline:
        try:
            httpx.get(address, trust_env=False).raise_for_status()
            return
        except httpx.TransportError:
            time.sleep(0.02)
    raise AssertionError("The site did not start.")


def ratios() -> list[Ratio]:
    with tempfile.TemporaryDirectory() as folder:
        # The first of them migrates and loads the demo, so it is not the shortest.
        starts = [_first_page_s(f"sqlite:///{folder}/site.sqlite3") for _ in range(1 + STARTS)]
    return [Ratio("first page of a start", min(starts), "s", LIMIT_S)]
