"""``make bench``: runs the benchmarks on a database of their own, prints a table and writes ``results.json``."""

import json
import os
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

import django
from django.core.management import call_command
from django.utils.module_loading import import_string

from bench.measure import Ratio
from config.env import ensure_env_file

RESULTS = Path(__file__).resolve().parent / "results.json"
BENCHMARKS = (
    *("bench.kernel.ratios", "bench.providers.ratios", "bench.store.ratios", "bench.pages.ratios"),
    "bench.startup.ratios",
)


def prepare(folder: str) -> None:
    ensure_env_file()
    os.environ["DATABASE_URL"] = f"sqlite:///{folder}/bench.sqlite3"
    os.environ.pop("REDIS_URL", None)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    call_command("migrate", verbosity=0, interactive=False)


def shown(ratio: Ratio) -> str:
    limit = "" if ratio.limit is None else f"{'within' if ratio.is_kept else 'OVER'} {ratio.limit:.3g}"
    return f"{ratio.name:<34} {ratio.value:>8.3f} {ratio.unit:<28} {limit}"


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        # Named by path: they import models, which needs the setup above.
        ratios = [ratio for name in BENCHMARKS for ratio in import_string(name)()]
        import_string("agentcore.pool.close_pools")()
    print("\n".join(shown(ratio) for ratio in ratios))
    RESULTS.write_text(json.dumps([asdict(ratio) for ratio in ratios], indent=2) + "\n", encoding="utf-8")
    return int(not all(ratio.is_kept for ratio in ratios))


if __name__ == "__main__":
    sys.exit(main())
