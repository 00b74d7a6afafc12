"""``make bench`` runs everything that measures."""

from bench.__main__ import BENCHMARKS
from tests.site import ROOT


def test_every_module_that_measures_is_run() -> None:
    files = sorted((ROOT / "bench").glob("*.py"))
    measuring = {f"bench.{file.stem}.ratios" for file in files if "\ndef ratios(" in file.read_text("utf-8")}
    assert measuring == set(BENCHMARKS)
