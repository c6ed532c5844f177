"""The contract of reading; ``testing.stores`` has the whole contract."""

from dataclasses import replace
from datetime import timedelta, timezone

import pytest

from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Image, Part, Reasoning, Role, Text, ToolCall, ToolResult
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.session import Session
from unabridged.ports import Store
from unabridged.testing.log_writer import START, LogWriter

EVERY_PART: tuple[Part, ...] = (
    Text("Read this."),
    Image("data:image/png;base64,aGk="),
    ToolCall("c1", "search", '{"q": "x",  "n": 1}'),
    ToolResult("c1", "search", "nothing", failed=True),
    ToolResult("c2", "search", "something"),
    Reasoning("Let me think."),
)
ODD_TEXTS = (
    "",
    "\ud83d alone and \ude00 alone",
    "\ud83d\ude00 as two halves",
    "NUL \0 inside\0",
    "👩‍👩‍👧‍👦 🇩🇪 🫱🏽‍🫲🏿",
    "שלום עולם \u202e reversed",
    "quotes \" ' and \\ backslash \\ud83d",
    "line\r\nbreaks\u2028and\x85others\x1b[31m",
    "e\u0301 is not \u00e9",
)


class ReadingContract:
    """What is written comes back."""

    def reopen(self, store: Store) -> Store:
        """Close the store and reopen it; a store in memory returns itself."""
        return store

    def test_an_empty_store_answers(self, store: Store) -> None:
        """All reads work on an empty store."""
        assert store.recent("s1", 5) == []
        assert store.get(["x"]) == {}
        assert store.scan() == []
        assert store.sessions() == []
        assert store.session("s1") is None
        assert store.records(RecordKind.FACT) == []
        totals = store.totals()
        assert (totals.sessions, totals.exchanges, totals.messages, totals.tokens) == (0, 0, 0, 0)

    def test_every_part_comes_back(self, store: Store) -> None:
        """All content parts, equal and in order, after reopening too."""
        talk = LogWriter(store)
        exchange = talk.answer(talk.begin(EVERY_PART), EVERY_PART[::-1])
        store = self.reopen(store)
        assert store.recent("s1", 5) == [exchange]
        assert store.get([exchange.id]) == {exchange.id: exchange}

    @pytest.mark.parametrize("text", ODD_TEXTS, ids=ascii)
    def test_odd_text_comes_back(self, store: Store, text: str) -> None:
        """Text is stored character for character, in every field."""
        talk = LogWriter(store)
        talk.header = replace(talk.header, title=text, foreign_id=text)
        record = Record(RecordKind.FACT, "f", START, {"text": text, text: [text]})
        begun = talk.begin((Text(text), Reasoning(text)), records=(record,))
        news = talk.message(text, Role.ASSISTANT, parent=talk.header.head)
        talk.write(replace(begun, messages=(news,), model=text), news.id)
        store = self.reopen(store)
        exchange = replace(begun, messages=(*begun.messages, news), model=text)
        assert store.recent("s1", 5) == [exchange]
        assert store.session("s1") == talk.header
        assert store.records(RecordKind.FACT) == [record]

    def test_five_megabytes_come_back(self, store: Store) -> None:
        """A message may be huge."""
        text = "A word and another. " * 250_000
        talk = LogWriter(store)
        begun = talk.begin(text)
        assert store.get([begun.id])[begun.id].user.text == text

    def test_times_keep_their_zone(self, store: Store) -> None:
        """Times come back equal, to the microsecond, with their offset."""
        at = START.replace(microsecond=123_456).astimezone(timezone(timedelta(hours=5, minutes=45)))
        talk = LogWriter(store)
        message = replace(talk.message("hello"), at=at)
        talk.write(Exchange("x1", "s1", None, ExchangeState.OPEN, (message,), at), message.id)
        found = self.reopen(store).get(["x1"])["x1"]
        assert (found.at, found.user.at) == (at, at)
        assert found.at.utcoffset() == at.utcoffset()

    def test_recent_gives_the_last_oldest_first(self, store: Store) -> None:
        """A limit returns the newest; ``before`` continues after a page."""
        talk = LogWriter(store)
        said = [talk.say(f"question {i}", f"answer {i}") for i in range(7)]
        assert store.recent("s1", 3) == said[-3:]
        assert store.recent("s1", 3, before=said[4].id) == said[1:4]
        assert store.recent("s1", 100) == said
        assert store.recent("s1", 0) == []
        assert store.recent("s1", 5, before=said[0].id) == []
        assert store.recent("s1", 5, before="nothing") == []
        assert store.recent("other", 5) == []

    def test_an_exchange_grows_from_open_to_complete(self, store: Store) -> None:
        """The user's message is stored at once; tool rounds and the answer follow."""
        talk = LogWriter(store)
        begun = talk.begin("What time is it?")
        assert store.recent("s1", 1) == [begun]
        call = talk.answer(begun, [ToolCall("c", "now", "{}")], state=ExchangeState.OPEN)
        result = talk.message([ToolResult("c", "now", "9:00")], Role.TOOL, parent=talk.header.head)
        talk.write(replace(call, messages=(result,)), result.id)
        whole = replace(call, messages=(*call.messages, result))
        whole = talk.answer(whole, "It is nine.")
        assert self.reopen(store).recent("s1", 1) == [whole]
        assert whole.state is ExchangeState.COMPLETE
        assert len(whole.messages) == 4

    def test_an_edit_is_a_second_child(self, store: Store) -> None:
        """The path follows the edit; the first version stays, and can be restored."""
        talk = LogWriter(store)
        first = talk.say("one", "1")
        old = talk.say("two", "2")
        new = talk.edit(old, "three", "3")
        assert new.parent == old.parent == first.id
        assert store.recent("s1", 5) == [first, new]
        assert set(store.get([old.id, new.id])) == {old.id, new.id}
        talk.go_to(old.messages[-1].id, old.id)
        assert store.recent("s1", 5) == [first, old]

    def test_a_regenerated_answer_shares_the_question(self, store: Store) -> None:
        """The user's message is stored once and is in both exchanges."""
        talk = LogWriter(store)
        first = talk.say("one", "1")
        old = talk.say("two", "2")
        new = talk.regenerate(old, "zwei")
        assert new.user == old.user
        assert store.recent("s1", 5) == [first, new]
        assert store.get([old.id]) == {old.id: old}
        assert store.totals().messages == 5

    def test_a_regeneration_begins_without_a_message(self, store: Store) -> None:
        """Until the new answer arrives, the head is the shared message, where the path ends."""
        talk = LogWriter(store)
        old = talk.say("two", "2")
        twin = replace(old, id=old.id + "b", state=ExchangeState.OPEN, messages=())
        talk.write(twin, old.user.id, opened_by=old.user.id)
        assert store.recent("s1", 5) == [replace(twin, messages=(old.user,))]
        twin = talk.answer(replace(twin, messages=(old.user,)), "zwei")
        assert store.recent("s1", 5) == [twin]

    def test_scan_pages_through_everything(self, store: Store) -> None:
        """All sessions and branches, in the order of the ids, each once."""
        one, two = LogWriter(store, "s1"), LogWriter(store, "s2")
        said = [talk.say(f"{i}", f"{i}") for i in range(4) for talk in (two, one)]
        said.append(one.edit(said[3], "other", "other"))
        ids = sorted(exchange.id for exchange in said)
        pages, after = [], None
        while page := store.scan(after, limit=4):
            pages += [exchange.id for exchange in page]
            after = page[-1].id
        assert pages == ids
        assert store.scan(limit=0) == []

    def test_sessions_come_newest_first(self, store: Store) -> None:
        """By their last change; a limit returns the newest."""
        for number, name in enumerate(["a", "b", "c"]):
            header = Session(name, name, START, START + timedelta(hours=(number + 1) % 3))
            store.set_session(header, None)
        assert [session.id for session in store.sessions()] == ["b", "a", "c"]
        assert [session.id for session in store.sessions(newest=2)] == ["b", "a"]
        assert store.sessions(newest=0) == []

    def test_counts_say_how_much_each_session_holds(self, store: Store) -> None:
        """All branches; a session without exchanges is missing."""
        one = LogWriter(store, "s1")
        one.say("one", "1")
        one.say("two", "2")
        LogWriter(store, "s2").say("three", "3")
        store.set_session(Session("empty", "", START, START), None)
        assert dict(self.reopen(store).counts()) == {"s1": 2, "s2": 1}
        assert sum(self.reopen(store).kinds().values()) == 3

    def test_totals_count_what_is_there(self, store: Store) -> None:
        """Sessions, exchanges, messages, tokens; something for bytes."""
        for name in ("s1", "s2"):
            LogWriter(store, name).say("one", "1")
        totals = self.reopen(store).totals()
        assert (totals.sessions, totals.exchanges, totals.messages, totals.tokens) == (2, 2, 4, 10)
        assert totals.bytes > 0
