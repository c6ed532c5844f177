"""What upkeep left of a session, where nothing stands for its beginning yet."""

from datetime import UTC, datetime, timedelta

from unabridged.annotations.schemes import scheme
from unabridged.condense.extractive_condenser import ExtractiveCondenser
from unabridged.condense.history_summary import Stands, drafted
from unabridged.condense.session_view import SessionView, record_of
from unabridged.context.gather import session_notes
from unabridged.domain.condensation import Condensation, Level, Line
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Message, Role, Text
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.scope import SpaceId
from unabridged.domain.session import Session
from unabridged.stores.in_memory import InMemoryStore
from unabridged.tokens.estimate import EstimateTokenizer

BEGUN = datetime(2026, 5, 1, tzinfo=UTC)
COUNT = EstimateTokenizer().count


def exchange_of(name: str, parent: str | None, day: int) -> Exchange:
    at = BEGUN + timedelta(days=day)
    message = Message(f"m-{name}", Role.USER, (Text(f"I bought lamp {name}."),), at, None, 7, "t")
    return Exchange(name, "s", parent, ExchangeState.UNANSWERED, (message,), at)


def condensed(covers, lines) -> Condensation:
    until = BEGUN + timedelta(days=9)
    return Condensation(
        f"c-{covers[0]}", Level.EXCHANGES, "s", covers, BEGUN, until, tuple(lines), 9, 99, "x"
    )


def told(*made):
    """A session a-b-c-d with another branch x-y behind b; the path that is shown is d alone."""
    store = InMemoryStore(SpaceId())
    path = [exchange_of(n, p, d) for n, p, d in zip("abcd", [None, *"abc"], range(4), strict=True)]
    branch = [exchange_of("x", "b", 1), exchange_of("y", "x", 2)]
    header = Session("s", "", BEGUN, path[-1].at, "m-d")
    store.import_session(header, [*path, *branch])
    store.put([record_of(SessionView("s", made), BEGUN)])
    return store, session_notes(store, scheme("story"), "s", path[3:], fresh=True)


def line_of(name: str) -> Line:
    return Line(f"I bought lamp {name}.", name, 0, Role.USER, (0,))


def test_nothing_of_another_branch_and_each_with_its_own_day():
    _, known = told(
        condensed(("a", "c"), map(line_of, "ac")), condensed(("x", "y"), [line_of("y")])
    )
    assert [(s.exchange, s.at.day) for s in known.older] == [("a", 1), ("c", 3)]
    assert (known.older_count, known.older_tokens) == (2, 14)


def test_words_of_a_model_go_when_one_of_those_is_forgotten_that_they_are_of():
    written = Line("Lamps were bought.", "", 0, None, ())
    store, known = told(condensed(("a", "b"), [written]))
    draft = ExtractiveCondenser(COUNT).condense(known.older, 99)
    block = drafted(draft, known.older, Stands(2, 14, (), "d", known.older_drawn))
    assert "Lamps were bought." in block.lines[0].text
    store.put([Record(RecordKind.OVERVIEW, block.id, BEGUN, {"block": "…"}, block.drawn)])
    store.erase(["b"])
    assert store.records(RecordKind.OVERVIEW) == []


def test_words_of_a_model_about_what_is_shown_stand_for_nothing_older():
    written = Line("Lamps were bought.", "", 0, None, ())
    _, known = told(condensed(("c", "d"), [written]))
    assert known.older == []
    assert known.older_count == 0
