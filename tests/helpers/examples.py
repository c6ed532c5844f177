"""How much of a random search is run: all of it in `make test-all`, a quarter in `make test`."""

import os

EVERY = "TEST_ALL" in os.environ
MOST = int(os.environ.get("TEST_EXAMPLES", "0"))
"""No more than this of any search; 0 for no bound. `make mutants` sets it."""


def examples(count):
    """Return how many of the given number of random examples or seeds to try."""
    wanted = count if EVERY else -(-count // 4)
    return min(wanted, MOST) if MOST else wanted
