"""How much of a random search is run: all of it in `make test-all`, a quarter in `make test`."""

import os

EVERY = "TEST_ALL" in os.environ


def examples(count):
    """Return how many of the given number of random examples or seeds to try."""
    return count if EVERY else -(-count // 4)
