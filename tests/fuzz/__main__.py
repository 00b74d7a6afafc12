"""``python -m tests.fuzz``: every position of every body, and then whatever comes to mind, until the time is up."""

import argparse
import logging
import os
import random
import sys
import time

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
os.environ.setdefault("SECRET_KEY", "fuzz")
os.environ.setdefault("DEBUG", "1")
django.setup()

from tests.fuzz.corpus import corpus  # noqa: E402 - the product reads the settings when it is imported
from tests.fuzz.running import Finding, fuzz, split_everywhere  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    parser.add_argument("--round", type=int, help="only this round of the seed")
    parser.add_argument("--splits", help="only the positions of this body")
    given = parser.parse_args()
    # A warning for each answer that ends oddly: here, all of them do.
    logging.disable()
    print(f"seed {given.seed}", flush=True)
    ends_at = time.monotonic() + given.seconds
    try:
        if given.round is None:
            seeds = [seed for seed in corpus() if given.splits in {None, seed.name}]
            tried = split_everywhere(seeds, seconds=given.seconds if given.splits else given.seconds / 2)
            print(f"{tried} positions in {len(seeds)} bodies", flush=True)
        if not given.splits:
            rounds = None if given.round is None else 1
            left_s = ends_at - time.monotonic()
            print(f"{fuzz(given.seed, seconds=left_s, first=given.round or 0, rounds=rounds)} rounds", flush=True)
    except Finding as finding:
        print(f"FOUND: {finding}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
