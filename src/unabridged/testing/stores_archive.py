"""The contract of archived sessions: unchanged, except in the list."""

from dataclasses import replace
from datetime import timedelta

from unabridged.domain.message import Image, Reasoning, Text, ToolCall
from unabridged.ports import Store
from unabridged.testing.log_writer import START, LogWriter
from unabridged.testing.stores_changes import ChangesContract
from unabridged.testing.stores_lookup import looked_up
from unabridged.testing.stores_writes import make_record

AWAY = START + timedelta(days=400)


class ArchivingContract(ChangesContract):
    """Archiving changes no message, search result or record."""

    def _filled(self, store: Store) -> list[LogWriter]:
        talks = [LogWriter(store, name) for name in ("s1", "s2")]
        for talk in talks:
            said = [talk.say(f"question {n} of a bicycle " * 20, "answer") for n in range(4)]
            talk.regenerate(said[-1], "another")
            talk.say("\ud83d broken \0 text", "yes")
            odd = talk.begin([Text("see"), Image("data:,x"), Reasoning("hm")])
            talk.answer(odd, [ToolCall("c1", "look", "{}")])
            store.put([make_record(f"of {talk.header.id}", said[0].id)])
        return talks

    def test_an_archived_session_is_as_it_was(self, store: Store) -> None:
        """Reads and searches return the same, also after reopening."""
        (talk, _) = self._filled(store)
        ids = [exchange.id for exchange in store.scan()]

        def seen(held: Store) -> tuple[object, ...]:
            return (
                held.scan(),
                held.get(ids),
                [held.recent(name, 99) for name in ("s1", "s2")],
                held.counts(),
                replace(held.totals(), bytes=0),
            )

        before, found = seen(store), looked_up(store, "bicycl")
        header = replace(talk.header, archived=AWAY)
        store.set_session(header, talk.header.head)
        assert store.session("s1") == header
        assert seen(store) == before
        assert looked_up(store, "bicycl") == found
        store = self.reopen(store)
        assert seen(store) == before
        assert looked_up(store, "bicycl") == found
        assert store.session("s1") == header

    def test_an_archived_session_is_taken_up_again(self, store: Store) -> None:
        """It returns by its header or by a write, without loss."""
        (talk, _) = self._filled(store)
        before = store.scan()
        active = talk.header
        store.set_session(replace(active, archived=AWAY), active.head)
        store.set_session(active, active.head)
        assert store.session("s1") == active
        assert store.scan() == before
        store.set_session(replace(active, archived=AWAY), active.head)
        more = talk.say("and on", "it goes")  # its header is active again
        assert store.session("s1") == talk.header
        assert store.get([one.id for one in before]) == {one.id: one for one in before}
        assert store.recent("s1", 1) == [more]

    def test_what_was_archived_is_forgotten_too(self, store: Store) -> None:
        """Like any other session; the rest is unchanged."""
        (talk, _) = self._filled(store)
        active = talk.header
        store.set_session(replace(active, archived=AWAY), active.head)
        first = store.recent("s1", 99)[0]
        assert store.erase([first.id]) == 1
        assert store.get([first.id]) == {}
        assert len(looked_up(store, "bicycl")) == 9
        store = self.reopen(store)
        assert len(store.scan()) == 13

    def test_a_session_comes_archived(self, store: Store) -> None:
        """An archived session is imported as archived."""
        (talk, _) = self._filled(store)
        said = [one for one in store.scan() if one.session == "s1"]
        store.erase([one.id for one in said])
        header = replace(talk.header, archived=AWAY)
        assert store.import_session(header, said) == len(said)
        assert store.session("s1") == header
        assert [one for one in store.scan() if one.session == "s1"] == said
