"""Condensing is killed at any moment, and runs in two programs at once: nothing is lost or torn."""

import random
import shutil
import signal
import subprocess
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.helpers import program
from tests.helpers.examples import examples
from tests.helpers.talker import Talker
from tests.opened import store_of

from unabridged.domain.condensation import Level
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Message, Role, Text
from unabridged.domain.record import RecordKind
from unabridged.domain.results import Transcript
from unabridged.domain.session import Session
from unabridged.domain.settings import Settings
from unabridged.models.scripted import ScriptedModel

TENDER = "from tests.faults.tender import main; main()"
BEGUN = datetime(2026, 2, 1, tzinfo=UTC)
SESSIONS, EXCHANGES = 4, 60


def conversation(name: str, start: datetime) -> Transcript:
    draw = random.Random(name)
    made = []
    parent = last = None
    for number in range(EXCHANGES):
        at = start + timedelta(minutes=number)
        place = draw.choice(["Oslo", "Lima", "Quito", "Accra"])
        asked = f"My cousin Ida went to {place} with {draw.randint(2, 90)} boxes. Was that wise?"
        said = f"It was wise of Ida. {place} is far. " * 4
        ident = f"{name}-{number:04}"
        user = Message(f"{ident}u", Role.USER, (Text(asked),), at, last)
        reply = Message(f"{ident}a", Role.ASSISTANT, (Text(said),), at, user.id)
        made.append(Exchange(ident, name, parent, ExchangeState.COMPLETE, (user, reply), at))
        parent, last = ident, reply.id
    return Transcript(Session(name, name, start, made[-1].at, last), tuple(made))


def opened(home: Path) -> Talker:
    settings = Settings(home=str(home), condense_tokens=2000)
    return Talker.open(settings=settings, upstream=ScriptedModel())


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    home = tmp_path_factory.mktemp("filled")
    with opened(home) as memory:
        for number in range(SESSIONS):
            memory.import_transcript(
                conversation(f"s{number}", BEGUN + timedelta(days=10 * number))
            )
    return home


@pytest.fixture(scope="module")
def wanted(filled, tmp_path_factory):
    """What a run that nobody disturbs leaves behind."""
    home = tmp_path_factory.mktemp("whole") / "home"
    shutil.copytree(filled, home)
    finish(home)
    return state_of(home)


def tender(home: Path) -> subprocess.Popen:
    return program.python(TENDER, home, stdout=subprocess.PIPE, text=True)


def finish(home: Path) -> None:
    with tender(home) as process:
        said = process.stdout.read()
    assert process.returncode == 0
    assert said.endswith("done\n")


def state_of(home: Path):
    with opened(home) as memory:
        assert memory.space.log.check() == []
        store = store_of(memory)
        annotations = [(r.id, r.body) for r in store.records(RecordKind.READING)]
        facts = [(r.id, r.body) for r in store.records(RecordKind.FACT)]
        runs = {r.id for r in store.records(RecordKind.RUN)}
        said = [e.text for e in store.scan()]
        made = memory.space.condensations.condensations()
        for one in made:
            originals = memory.space.condensations.expand(one.id).exchanges
            assert tuple(e.id for e in originals) == one.covers
        return made, annotations, facts, runs, said


@pytest.mark.slow
def test_killed_anywhere_it_goes_on_and_comes_to_the_same(filled, wanted, tmp_path):
    assert {one.level for one in wanted[0]} == set(Level)
    draw = random.Random(7)
    kills = 0
    home = tmp_path / "home"
    shutil.copytree(filled, home)
    for _ in range(examples(24)):
        begun = time.perf_counter()
        with tender(home) as process:
            assert process.stdout.readline() == "opened\n"
            opening = time.perf_counter() - begun  # a measure of how fast this machine is now
            for _ in range(draw.randrange(4)):
                process.stdout.readline()
            time.sleep(opening / 10 * draw.random())
            process.send_signal(signal.SIGKILL)
            process.wait()
            kills += process.returncode == -signal.SIGKILL
        with opened(home) as memory:
            assert store_of(memory).totals().exchanges == SESSIONS * EXCHANGES
    assert kills >= 3
    finish(home)
    assert state_of(home) == wanted


@pytest.mark.slow
def test_two_programs_at_once_come_to_the_same(filled, wanted, tmp_path):
    home = tmp_path / "home"
    shutil.copytree(filled, home)
    with tender(home) as one, tender(home) as other:
        said = (one.stdout.read(), other.stdout.read())
    assert (one.returncode, other.returncode) == (0, 0)
    assert all(text.endswith("done\n") for text in said)
    assert state_of(home) == wanted
