"""The index in memory follows its store: by what is new where the store tells it, else by all."""

import pytest
from tests.helpers.memories import say
from tests.opened import store_of

from unabridged.retrieval import fallback
from unabridged.wiring import Memory


@pytest.fixture
def looks(monkeypatch):
    """Count how often everything is read."""
    real, counted = fallback.everything, []

    def everything(store):
        counted.append(store)
        return real(store)

    monkeypatch.setattr(fallback, "everything", everything)
    return counted


@pytest.fixture
def memory(tmp_path):
    with opened(tmp_path) as memory:
        yield memory


def opened(home):
    return Memory.open(home, store="memory", upstream="quote", clock=None)


def found(memory, word):
    return [one.exchange.id for one in memory.search(word)]


def test_what_is_new_is_found_without_reading_everything(memory, looks):
    first = say(memory, "My boat is called Kestrel.").id
    assert first in found(memory, "Kestrel")
    before = len(looks)
    later = [say(memory, f"The {word} is in the shed.").id for word in ("anchor", "rudder", "sail")]
    assert [found(memory, word)[0] for word in ("anchor", "rudder", "sail")] == later
    assert len(looks) == before


def test_an_answer_that_came_later_is_found(memory, looks):
    say(memory, "Hello there.")
    found(memory, "hello")
    before = len(looks)
    context = memory.prepare("Where is the key?")
    memory.begin(context)
    assert context.id in found(memory, "key")
    memory.record(context, "Behind the zinnias.")
    assert found(memory, "zinnias")[0] == context.id
    assert len(looks) == before


def test_what_is_forgotten_is_found_no_more(memory, looks):
    gone, stays = (
        say(memory, "My boat is called Kestrel.").id,
        say(memory, "Kestrel is a bird too.").id,
    )
    found(memory, "Kestrel")
    before = len(looks)
    store_of(memory).forget([gone])
    assert found(memory, "Kestrel") == [stays]
    assert len(looks) == before + 1


def test_a_branch_has_its_place(memory, looks):
    say(memory, "My boat is called Kestrel.")
    second = say(memory, "It is blue.").id
    found(memory, "boat")
    before = len(looks)
    memory.undo()
    branch = say(memory, "It is crimson.").id
    assert found(memory, "crimson")[0] == branch
    assert {second, branch} <= set(found(memory, "boat blue crimson"))
    assert len(looks) == before


def test_it_finds_as_one_that_reads_everything(memory, tmp_path):
    words = ("anchor", "boat", "rudder", "harbour", "storm")
    for n in range(20):
        say(memory, f"The {words[n % 5]} and the {words[(n * 3) % 5]}, part {n}.")
        found(memory, words[n % 5])
    with opened(tmp_path) as fresh:
        for word in words:
            ours = [(one.exchange.id, round(one.score, 6)) for one in memory.search(word)]
            theirs = [(one.exchange.id, round(one.score, 6)) for one in fresh.search(word)]
            assert ours == theirs
