"""The index in memory follows its store: by what is new where the store tells it, else by all."""

import pytest
from tests.helpers.memories import say
from tests.helpers.talker import Talker
from tests.opened import store_of

from unabridged.domain.scope import Space
from unabridged.domain.settings import Settings
from unabridged.retrieval import fallback
from unabridged.stores import news
from unabridged.stores.files.folder import FilesFolder
from unabridged.testing.clock import ManualClock


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
    return Talker.open(home, store="files", upstream="quote", clock=None)


def found(memory, word):
    return [one.exchange.id for one in memory.space.search(word)]


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


def test_what_another_process_wrote_is_found(memory, looks, tmp_path):
    say(memory, "My boat is called Kestrel.")
    found(memory, "Kestrel")
    before = len(looks)
    with opened(tmp_path) as other:
        theirs = say(other, "The heron stands in the reeds.").id
    assert found(memory, "heron")[0] == theirs
    assert len(looks) > before


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


def test_more_news_than_are_remembered_are_read_as_everything(memory, looks, monkeypatch):
    monkeypatch.setattr(news, "MOST", 4)
    say(memory, "My boat is called Kestrel.")
    found(memory, "Kestrel")
    ids = [say(memory, f"Word number{n} here.").id for n in range(5)]
    assert [found(memory, f"number{n}")[0] for n in range(5)] == ids


def test_it_finds_as_one_that_reads_everything(memory, tmp_path):
    words = ("anchor", "boat", "rudder", "harbour", "storm")
    for n in range(20):
        say(memory, f"The {words[n % 5]} and the {words[(n * 3) % 5]}, part {n}.")
        found(memory, words[n % 5])
    with opened(tmp_path) as fresh:
        for word in words:
            ours = [(one.exchange.id, round(one.score, 6)) for one in memory.space.search(word)]
            theirs = [(one.exchange.id, round(one.score, 6)) for one in fresh.space.search(word)]
            assert ours == theirs


def test_a_store_tells_what_was_written_since():
    clock = ManualClock()
    with Talker.open(
        settings=Settings(home="unused", store="memory"), upstream="quote", clock=clock
    ) as memory:
        store = store_of(memory)
        mark, names = store.news(None)
        assert names is None
        one = say(memory, "One.").id
        after, names = store.news(mark)
        assert names == [one]
        assert store.news(after) == (after, [])
        store.forget([one])
        assert store.news(after)[1] is None


def test_a_space_that_was_opened_anew_knows_no_older_mark(tmp_path):
    folder = FilesFolder(tmp_path, layout="model")
    with_one = folder.open(Space("ann", "default"))
    mark, _ = with_one.news(None)
    with_one.close()
    again = folder.open(Space("ann", "default"))
    assert again.news(mark)[1] is None
    again.close()
