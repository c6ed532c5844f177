"""The short form of ``python -m tests.fuzz``: inputs that once crashed, and that a crash is found."""

import json
import time
from contextlib import nullcontext
from pathlib import Path

import pytest
from tests.fuzz import worker
from tests.fuzz.mutate import Mutator
from tests.fuzz.table import TARGETS
from tests.fuzz.target import Subject, Target, WrongError

from unabridged.errors import InputError
from unabridged.transfer.formats.table import FORMATS

KEPT = Path(__file__).parents[1] / "fixtures" / "fuzz"
"""A folder for each target: inputs that crashed, before what was wrong was mended."""


def crashes_of(name, place, kept=()):
    """Read inputs, without any the seeds of the target; give what crashed."""
    with TARGETS[name].opened(place) as subject:
        inputs = kept or subject.seeds
        assert inputs
        judged = [worker.judge(subject, data) for data in inputs]
    return [crash for _, crash in judged if crash]


@pytest.mark.parametrize("name", sorted(path.name for path in KEPT.iterdir()))
def test_what_once_crashed_is_read_or_refused(name, tmp_path):
    assert not crashes_of(name, tmp_path, worker.kept_in(KEPT / name))


@pytest.mark.long
@pytest.mark.parametrize("name", TARGETS)
def test_every_target_reads_its_seeds(name, tmp_path):
    assert not crashes_of(name, tmp_path)


def test_every_importer_is_a_target():
    assert {f"import-{each.name}" for each in FORMATS} <= TARGETS.keys()


def fuzzed(attempt, folder, most=300):
    """Fuzz something planted; give the figures."""
    subject = Subject([b'{"a": [1, 2], "b": "text"}'], attempt)
    target = Target("planted", "json", lambda _: nullcontext(subject))
    return worker.run(target, 60, 1, folder, most=most, bound=lambda: 0)


def test_a_raw_error_is_found_and_kept_with_the_command_that_repeats_it(tmp_path):
    def careless(data):
        value = json.loads(data) if data[:1] == b"{" else {"a": 1}
        return str(bool(value["a"]))

    def attempt(data):
        try:
            return careless(data)
        except ValueError as error:
            raise InputError("not JSON") from error

    figures = fuzzed(attempt, tmp_path)
    assert figures["crashes"] >= 1
    told = next((tmp_path / "crashes").glob("planted-*.txt")).read_text()
    assert told.startswith("python -m tests.fuzz --only planted --input ")
    data = Path(told.splitlines()[0].split()[-1]).read_bytes()
    with pytest.raises((KeyError, TypeError)):
        careless(data)


def test_a_hang_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(worker, "SECONDS", 0.05)
    assert fuzzed(lambda data: time.sleep(len(data) > 50), tmp_path, most=12)["crashes"] == 1


def test_files_that_stay_open_are_found(tmp_path):
    kept = []

    def attempt(data):
        kept.append((tmp_path / "x").open("wb"))
        return "read"

    figures = fuzzed(attempt, tmp_path)
    for file in kept:
        file.close()
    assert figures["crashes"] == 1


def test_an_input_with_a_new_outcome_joins_the_corpus(tmp_path):
    figures = fuzzed(lambda data: f"{len(data) // 20}", tmp_path)
    assert figures["new"] >= 2
    assert len(worker.kept_in(tmp_path / "corpus" / "planted")) == figures["new"]


def test_what_is_half_done_is_a_crash():
    def attempt(data):
        raise WrongError("left a draft")

    assert worker.judge(Subject([], attempt), b"")[1]


@pytest.mark.parametrize("shape", ["json", "text", "binary", "request"])
def test_the_same_seed_makes_the_same_inputs(shape):
    from random import Random

    def made():
        mutator = Mutator(shape, [b'/x\n{"a": 1, "b": [2]}\n', b'{"a": null}\nb = 2\n'])
        return [mutator.make(Random(f"7:{number}")) for number in range(200)]

    assert made() == made()
    assert len(set(made())) > 100
