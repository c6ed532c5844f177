"""Wait for what another thread or process does: long enough for any machine, and no longer than it takes."""

import time


def until(true, seconds=60):
    """Return the first true value that a function gives; an error where none comes in time."""
    end = time.monotonic() + seconds
    while not (found := true()):
        assert time.monotonic() < end, f"it did not come to that in {seconds} s"
        time.sleep(0.01)
    return found
