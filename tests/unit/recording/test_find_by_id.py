"""An exchange, session, fact or context is found by the id, its beginning, or the end lists show."""

from dataclasses import replace

import pytest
from tests.helpers.talker import Talker

from unabridged.errors import NotFoundError
from unabridged.recording.sessions import find_exchange


@pytest.fixture
def memory(tmp_path):
    with Talker.open(tmp_path, upstream="quote") as memory:
        yield memory


def finders(memory):
    memory.chat("My cat is called Ada.").text()
    fact = memory.facts.add("I like tea.")
    exchange = memory.space.log.scan()[0]
    session = memory.space.sessions.newest()
    return [
        (exchange.id, lambda name: memory.space.log.get(name).id),
        (session.id, lambda name: memory.space.sessions.find(name).id),
        (fact.id, lambda name: memory.facts.get(name).id),
        (exchange.id, lambda name: memory.space.contexts.why(name).id),
    ]


def test_an_id_is_found_by_its_end_of_six_characters(memory):
    for name, find in finders(memory):
        assert find(name[-6:]) == find(name[-25:]) == find(name) == name


@pytest.mark.parametrize("cut", [slice(-5, None), slice(-7, -1)])
def test_fewer_characters_or_a_middle_name_nothing(memory, cut):
    for name, find in finders(memory):
        with pytest.raises(NotFoundError):
            find(name[cut])


def test_an_end_of_several_ids_names_none_of_them(memory, monkeypatch):
    memory.add([{"role": "user", "content": "One"}, {"role": "assistant", "content": "1"}])
    ids = ["0AAAAAAA7K2QMD", "0BBBBBBB7K2QMD"]
    exchange = memory.space.log.scan()[0]

    class Two:
        def get(self, _):
            return {}

        def scan(self, after=None, limit=200):
            held = [replace(exchange, id=name) for name in ids]
            return [one for one in held if after is None or one.id > after][:limit]

    assert find_exchange(Two(), "0AAAAAAA7K").id == ids[0]
    with pytest.raises(NotFoundError, match="Several"):
        find_exchange(Two(), "7K2QMD")
