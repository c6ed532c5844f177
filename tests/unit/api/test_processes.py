"""Two processes write to one session of one home: nothing is lost, and there is one path."""

import subprocess
import sys
from itertools import pairwise

import pytest

from unabridged import Memory

TURNS = 20
PROGRAM = """
import sys
from unabridged import Memory

home, name, turns = sys.argv[1:]
with Memory.open(home, upstream="quote", session="shared") as memory:
    for n in range(int(turns)):
        memory.record(memory.prepare(f"{name} says {n}."), f"Answer {n} to {name}.")
"""


@pytest.mark.slow
def test_two_processes_in_one_session_lose_nothing(tmp_path):
    home = tmp_path / "home"
    both = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(home), name, str(TURNS)], stderr=subprocess.PIPE
        )
        for name in ("One", "Two")
    ]
    for process in both:
        _, error = process.communicate(timeout=120)
        assert process.returncode == 0, error.decode()
    with Memory.open(home, upstream="quote") as memory:
        path = memory.conversation("shared").history(99)
        said = {exchange.text for exchange in path}
        assert said == {
            f"{name} says {n}.\nAnswer {n} to {name}."
            for name in ("One", "Two")
            for n in range(TURNS)
        }
        assert all(later.parent == earlier.id for earlier, later in pairwise(path))
        assert memory.space.log.check() == []
