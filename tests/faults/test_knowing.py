"""Two processes that learn from the same space at the same time, and one that is killed."""

import json
import subprocess
import sys

import pytest
from tests.helpers.talker import Talker
from tests.opened import store_of

from unabridged.domain.record import RecordKind

LEARNS = """
import sys

import pytest
from tests.helpers.talker import Talker
with Talker.open(sys.argv[1], upstream="quote") as memory:
    print("ready", flush=True)
    sys.stdin.readline()
    while memory.facts.learn_pending(3) | memory.requirements.learn_pending(3):
        pass
    memory.requirements.add(f"The system must greet {sys.argv[2]}.")
"""


def started(home, name):
    words = [sys.executable, "-c", LEARNS, str(home), name]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(words, text=True, **pipes)


@pytest.mark.slow
def test_two_processes_learn_at_once_and_nothing_is_there_twice(tmp_path):
    home = tmp_path / "home"
    with Talker.open(home, upstream="quote", facts="none") as memory:
        for number in range(12):
            text = (
                f"I love hobby{number}. The system must have {number} doors and a window{number}."
            )
            memory.record(memory.prepare(text), "Noted.")
    both = [started(home, "Ann"), started(home, "Bob")]
    for process in both:
        assert process.stdout.readline() == "ready\n"
    for process in both:
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in both:
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0, (out, err)
    with Talker.open(home, upstream="quote") as memory:
        values = [fact.value for fact in memory.facts.all() if fact.attribute == "likes"]
        assert sorted(values) == sorted(f"hobby{n}" for n in range(12))
        held = memory.requirements.all()
        assert len({each.id for each in held}) == len(held) == 14
        assert len({each.text for each in held}) == 14
        assert memory.facts.learn_pending() == 0


def test_a_process_that_is_killed_between_pages_goes_on_where_it_stopped(tmp_path):
    home = tmp_path / "home"
    with Talker.open(home, upstream="quote", facts="none") as memory:
        for number in range(6):
            memory.record(memory.prepare(f"I love hobby{number}."), "Noted.")
    code = """
import os, signal, sys
from tests.helpers.talker import Talker
memory = Talker.open(sys.argv[1], upstream="quote")
memory.facts.learn_pending(2)
os.kill(os.getpid(), signal.SIGKILL)
"""
    ran = subprocess.run([sys.executable, "-c", code, str(home)], timeout=60, check=False)
    assert ran.returncode == -9
    with Talker.open(home, upstream="quote") as memory:
        assert len(memory.facts.all()) == 2
        assert [memory.facts.learn_pending(3) for _ in range(3)] == [3, 1, 0]
        assert len(memory.facts.all()) == 6
        kinds = [record.body for record in store_of(memory).records(RecordKind.FACT)]
        assert json.dumps(kinds)
