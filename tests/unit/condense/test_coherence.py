"""The check of a run finds what a run must not lose (EMM, step 6.1)."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from unabridged.annotations.schemes import scheme
from unabridged.condense.coherence import CoherenceCheck, check
from unabridged.condense.session_view import SessionView
from unabridged.condense.verbatim_selection import Selection
from unabridged.domain.annotation import Annotation, ExchangeReading
from unabridged.domain.condensation import (
    Condensation,
    CondensationDraft,
    CondenseSource,
    Level,
    Line,
)
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Message, Role, Text
from unabridged.language.names import names_in
from unabridged.maintenance.condense_session import CondenseTools, Trigger, work_out

AT = datetime(2026, 5, 1, tzinfo=UTC)
STORY = scheme("story")
SAID = [
    ("We meet Aldric at the gate.", "standard"),
    ("The road to Theron is long.", "standard"),
    ("Only Mirelle can lift the curse of Vharn.", "story_critical"),
    ("They saw Mirelle leave the city of Vharn.", "story_critical"),
]
SOURCES = [
    CondenseSource(
        f"e{n}", 0, Role.USER, text, AT, 0.5, category, critical=category == "story_critical"
    )
    for n, (text, category) in enumerate(SAID)
]


def line(n):
    return Line(SAID[n][0], f"e{n}", 0, Role.USER, (0,))


def found(condense, lines, *, standing=()):
    """Check a run that condenses messages of those numbers into those lines."""
    groups: dict[str, list] = {}
    for n in range(len(SAID)):
        groups.setdefault(SAID[n][1], []).append((f"e{n}", 0))
    gone = {(f"e{n}", 0) for n in condense}
    selection = Selection(
        {name: tuple(k for k in keys if k not in gone) for name, keys in groups.items()},
        {name: tuple(k for k in keys if k in gone) for name, keys in groups.items()},
        {},
    )
    covers = tuple(f"e{n}" for n in condense)
    made = Condensation("c-1", Level.EXCHANGES, "s", covers, AT, AT, tuple(lines), 5, 10, "test")
    return check(CoherenceCheck(selection, SOURCES, [made], 100, 60), STORY, names_in, standing)


def test_a_run_that_keeps_everything_is_coherent():
    check = found([0, 1], [line(0), line(1)])
    assert (check.critical_kept, check.in_order) == (1.0, True)
    assert check.lost_names == check.lost_critical == ()
    assert check.token_reduction == pytest.approx(0.4)


def test_lost_names_are_listed_and_those_of_critical_messages_too():
    check = found([0, 2], [])
    assert set(check.lost_names) == {"aldric"}  # Mirelle and Vharn still stand in another message
    assert check.lost_critical == ()
    check = found([2, 3], [line(2)])
    assert check.lost_names == ()
    check = found([2, 3], [])
    assert set(check.lost_critical) == set(check.lost_names) == {"mirelle", "vharn"}
    assert found([0], [], standing=["Now ask Aldric."]).lost_names == ()


def test_the_share_of_critical_messages_is_told():
    check = found([2], [line(2)])
    assert check.critical_kept == 0.5
    assert not check.shares_kept
    assert found([0], [line(0)]).shares_kept is True
    assert found([0, 1], [line(0), line(1)]).shares_kept is False


def test_what_stands_in_another_order_is_found():
    assert found([0, 1], [line(1), line(0)]).in_order is False


class Forgetful:
    """A condenser that keeps no name."""

    identity = "forgetful"

    def condense(self, sources, limit, terms=()):
        last = sources[-1]
        return CondensationDraft(
            (Line("So it went.", last.exchange, last.index, last.role),), 3, "forgetful"
        )


class Backwards(Forgetful):
    """A condenser that turns the order round."""

    def condense(self, sources, limit, terms=()):
        lines = [Line(s.text[:9], s.exchange, s.index, s.role) for s in reversed(sources)]
        return CondensationDraft(tuple(lines), 3, "backwards")


def test_a_run_that_loses_a_critical_name_or_the_order_is_not_used():
    exchanges, annotations = [], {}
    for n in range(20):
        text = f"Hero number {n} is Kor{'abcdefghijklmnopqrst'[n]}ath, who knows the ancient curse."
        said = Message(f"m{n}", Role.USER, (Text(text),), AT, None, 20, "t")
        exchanges.append(Exchange(f"e{n}", "s", None, ExchangeState.UNANSWERED, (said,), AT))
        annotations[f"e{n}"] = ExchangeReading(
            f"e{n}", "story", {f"m{n}": Annotation("story_critical", 0.9, by="test")}
        )
    terms = CondenseTools(STORY, Forgetful(), names_in, lambda text: len(text.split()))
    lossy = work_out(exchanges, annotations, SessionView("s"), Trigger(spared=0), terms)
    assert lossy.coherence.lost_critical
    assert not lossy.usable
    assert "critical names" in lossy.reason
    standard = {
        name: replace(one, messages={k: Annotation("standard", 0.4) for k in one.messages})
        for name, one in annotations.items()
    }
    turned = replace(terms, condenser=Backwards())
    worked = work_out(exchanges, standard, SessionView("s"), Trigger(spared=0), turned)
    assert not worked.usable
    assert "order" in worked.reason
