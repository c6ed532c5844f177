"""The contract of search: stored content is found, and nothing else.

It searches through an index that follows the store.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from unabridged.domain.exchange import ExchangeState
from unabridged.domain.index_query import IndexQuery
from unabridged.domain.message import Reasoning, Role, ToolCall, ToolResult
from unabridged.language.words import query_terms
from unabridged.ports import Store
from unabridged.projections.search_index.index import SearchIndex
from unabridged.retrieval.analyze import session_number
from unabridged.stores.sqlite import SqliteStore
from unabridged.testing.log_writer import LogWriter
from unabridged.testing.stores_writes import WritingContract


def index_of(store: Store) -> SearchIndex:
    """Return the index that is attached to a store, or one in memory over it."""
    attached = store.projections if isinstance(store, SqliteStore) else ()
    found = next((one for one in attached if isinstance(one, SearchIndex)), None)
    return found or SearchIndex(store)


def looked_up(store: Store, *terms: str) -> dict[str, float]:
    """Look up terms.

    Returns:
        Id to share of the terms in an exchange, on either side, for exchanges with any; the largest
        first.
    """
    rows = index_of(store).search(IndexQuery(terms))
    has = (rows.user_times + rows.answer_times) > 0
    shares = (has.sum(axis=1) / max(1, len(terms))).tolist()
    held = [row for row, share in enumerate(shares) if share]
    order = sorted(held, key=lambda row: (-shares[row], row))
    return dict(zip(rows.exchanges_of(order), [shares[row] for row in order], strict=True))


class LookupContract(WritingContract):
    """Words find all stored exchanges, and only those."""

    def test_words_find_their_exchange(self, store: Store) -> None:
        """Either side of an exchange, in any script; the better match first."""
        talk = LogWriter(store)
        bike = talk.say("My bicycle is called Rosinante.", "A fine name for a bicycle!")
        tower = talk.say("我昨天去了东京塔和秋叶原", "東京タワーは楽しかったですか")
        talk.say("Good morning", "Good morning to you")
        for question, gold in (
            ("what is the name of my bicycle?", bike),
            ("ROSINANTE", bike),
            ("东京塔", tower),
            ("タワー", tower),
        ):
            hits = looked_up(store, *query_terms(question))
            assert next(iter(hits)) == gold.id, question
        assert looked_up(store, "nothingness") == {}
        assert looked_up(store) == {}

    def test_what_was_just_written_is_found(self, store: Store) -> None:
        """At once: the question while its answer is awaited, then both."""
        talk = LogWriter(store)
        begun = talk.begin("Where is Casablanca?")
        assert list(looked_up(store, "casablanca")) == [begun.id]
        talk.answer(begun, "In Morocco.")
        assert looked_up(store, "casablanca", "morocco") == {begun.id: pytest.approx(1.0)}
        store = self.reopen(store)
        assert list(looked_up(store, "morocco")) == [begun.id]

    def test_what_stands_beside_comes_along(self, store: Store) -> None:
        """The exchanges before and after on the path, though no word found them."""
        talk = LogWriter(store)
        said = [talk.say(word, "indeed") for word in ("alpha", "beta", "gamma", "delta")]
        index = index_of(store)
        rows = index.search(IndexQuery(("beta",), limit=1))
        names = rows.exchanges_of(range(len(rows.places)))
        row_of = {name: row for row, name in enumerate(names)}
        assert rows.found[row_of[said[1].id]]
        assert not rows.found[row_of[said[0].id]]
        assert rows.before[row_of[said[1].id]] == row_of[said[0].id]
        assert rows.before[row_of[said[2].id]] == row_of[said[1].id]
        assert rows.positions[row_of[said[1].id]] == 1
        assert said[3].id not in row_of

    def test_one_session_alone(self, store: Store) -> None:
        """Even if many others have better matches; forgotten exchanges are not found."""
        own = LogWriter(store, "own")
        first = own.say("alpha and much else that is said in one long breath", "indeed")
        loud = LogWriter(store, "loud")
        for _ in range(12):
            loud.say("alpha beta", "alpha beta")
        index = index_of(store)

        def found(limit: int, *terms: str) -> list[str]:
            rows = index.search(IndexQuery(terms, limit=limit, session=session_number("own")))
            return rows.exchanges_of(np.flatnonzero(rows.found).tolist())

        assert found(1, "alpha", "beta") == [first.id]
        assert found(8, "beta") == []
        second = own.say("beta", "alpha")
        assert found(8, "alpha", "beta") == [first.id, second.id]
        store.erase([first.id])
        assert found(8, "alpha", "beta") == [second.id]

    def test_words_are_never_syntax(self, store: Store) -> None:
        """Any text is searched for as it is."""
        said = LogWriter(store).say("alpha beta", "gamma")
        odd: Sequence[str] = ('"', 'al"pha', "*", "alph*", "NOT", "alpha OR", "\0", "\ud800", "")
        for term in odd:
            assert looked_up(store, term) == {}
        assert list(looked_up(store, "NOT", "alpha", "*")) == [said.id]

    def test_only_what_was_said_is_indexed(self, store: Store) -> None:
        """With what tools returned; reasoning is not, and a forgotten exchange is not any more."""
        talk = LogWriter(store)
        begun = talk.begin("plain")
        call = (Reasoning("hidden"), ToolCall("c", "t", "{}"))
        asked = talk.message(call, Role.ASSISTANT, parent=talk.header.head)
        result = talk.message([ToolResult("c", "t", "cabinet")], Role.TOOL, parent=asked.id)
        news = replace(begun, messages=(asked, result), state=ExchangeState.COMPLETE)
        talk.write(news, result.id)
        assert looked_up(store, "hidden") == {}
        assert set(looked_up(store, "cabinet")) == {begun.id}
        (share,) = looked_up(store, "plain", "hidden").values()
        assert 0 < share < 1
        assert looked_up(store, "plain") == {begun.id: 1}
        store.erase([begun.id])
        assert looked_up(store, "plain") == {}
