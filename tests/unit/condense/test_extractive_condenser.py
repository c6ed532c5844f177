from datetime import UTC, datetime

import pytest

from unabridged.condense import extractive_condenser
from unabridged.condense.extractive_condenser import ExtractiveCondenser, joined
from unabridged.domain.condensation import CondenseSource
from unabridged.domain.message import Role
from unabridged.language.sentences import sentences
from unabridged.language.words import terms
from unabridged.ports import Condenser
from unabridged.tokens.estimate import EstimateTokenizer

AT = datetime(2026, 11, 22, tzinfo=UTC)
COUNT = EstimateTokenizer().count
EXTRACTOR = ExtractiveCondenser(COUNT)


def text_of(draft):
    return "\n".join(line.text for line in draft.lines)


def test_it_is_a_condenser():
    assert isinstance(EXTRACTOR.identity, str)
    condenser: Condenser = EXTRACTOR
    assert condenser.condense([], 100) is None


def test_enough_room_keeps_everything_that_is_said_once(talk):
    sources = talk("I live in Oslo. My cat is Miso.", "Lovely! Miso is a fine name.")
    draft = EXTRACTOR.condense(sources, 1_000)
    assert [line.text for line in draft.lines] == [source.text for source in sources]
    assert [line.sentences for line in draft.lines] == [(0, 1), (0, 1)]
    assert [line.role for line in draft.lines] == [Role.USER, Role.ASSISTANT]
    assert draft.tokens == sum(COUNT(line.text) for line in draft.lines)


def test_nothing_fits_nothing_is_made(talk):
    assert EXTRACTOR.condense(talk("I live in Oslo with my cat and my brother."), 3) is None
    assert EXTRACTOR.condense(talk("I live in Oslo."), 0) is None


FILLER = "That is so great! How nice is that? I hope it goes well. Wow, really cool! Take care."


@pytest.mark.parametrize(
    "fact",
    [
        "My sister Ingrid moved to Trondheim on 3 May 2026.",
        "I paid 1,250 euros for the blue Brompton bicycle.",
        "We decided to use PostgreSQL for the ledger service.",
        "Ich habe am 3. Mai in Freiburg bei Frau Lindner angefangen.",
        "Моя сестра Анна переехала в Казань 3 мая 2026 г.",
        "我妹妹五月三日搬到上海,花了1250元。",
        "Mi hermana Lucía se mudó a Sevilla el 3 de mayo.",
    ],
)
def test_what_was_told_is_kept_rather_than_filler(talk, fact):
    sources = talk(f"{FILLER} {fact} {FILLER}", f"{FILLER} Thanks for that!", FILLER, FILLER)
    draft = EXTRACTOR.condense(sources, COUNT(fact) + 8)
    assert fact in text_of(draft)


def test_who_said_it_comes_with_it(talk):
    fact = "My name is Juno and I was built in Graz."
    draft = EXTRACTOR.condense(talk("Hello there!", fact), COUNT(fact))
    assert [(line.role, line.exchange, line.index) for line in draft.lines] == [
        (Role.ASSISTANT, "e0", 1)
    ]


def test_repetition_goes_before_what_is_new(talk):
    again = "I really want to learn the cello this winter."
    new = "The teacher Marta asks 40 euros an hour."
    sources = talk(again, again, f"{again} {new}", "I want to learn the cello in winter.")
    kept = text_of(EXTRACTOR.condense(sources, COUNT(again) + COUNT(new) + 4))
    assert kept.count(again) == 1
    assert new in kept


def test_the_order_is_that_of_the_talk(talk):
    sources = talk(*(f"In step {n} I bought part {n * 7} from shop number {n}." for n in range(30)))
    draft = EXTRACTOR.condense(sources, 200)
    places = [(line.exchange, line.index) for line in draft.lines]
    ordered = [(s.exchange, s.index) for s in sources if (s.exchange, s.index) in places]
    assert places == ordered
    assert len(places) > 5


def test_importance_decides_between_equals():
    one = CondenseSource("e0", 0, Role.USER, "The red lantern stood in Bergen.", AT, importance=0.2)
    two = CondenseSource("e1", 0, Role.USER, "The blue kettle stood in Malmö.", AT, importance=0.9)
    for sources in ([one, two], [two, one]):
        assert "Malmö" in text_of(EXTRACTOR.condense(sources, 22))


def test_names_of_critical_messages_stay(talk):
    long = "We bought 12 chairs, 4 tables, 3 lamps and a carpet from Istanbul for 900 euros."
    sources = talk(long, long.replace("chairs", "sofas"), "Then Thessaly wept.")
    plain = EXTRACTOR.condense(sources, 40)
    sources[2] = CondenseSource("e1", 0, Role.USER, sources[2].text, AT, critical=True)
    assert "Thessaly" in text_of(EXTRACTOR.condense(sources, 40))
    assert plain is not None


def test_only_allowed_sentences_are_chosen():
    text = "I live in Oslo. My cat is Miso. My car is a Volvo."
    source = CondenseSource("e0", 0, Role.USER, text, AT, sentences=(0, 2))
    (line,) = EXTRACTOR.condense([source], 100).lines
    assert line.sentences == (0, 2)
    assert line.text == "I live in Oslo. […] My car is a Volvo."


def test_gaps_are_marked_and_neighbours_are_not():
    parts = dict(enumerate(sentences("One. Two.\nThree. Four.")))
    assert joined(parts) == "One. Two.\nThree. Four."
    assert joined({0: parts[0], 2: parts[2], 3: parts[3]}) == "One. […] Three. Four."
    assert joined({3: parts[3]}) == "Four."
    assert joined({}) == ""


def test_an_earlier_condensation_is_condensed_again_without_piling_up_marks():
    text = "I live in Oslo. […] My cat is Miso. […] i pay 900 euros. […] Ada rows."
    source = CondenseSource("", 0, None, text, AT)
    whole = EXTRACTOR.condense([source], 200)
    assert [line.text for line in whole.lines] == [text]
    for limit in range(4, 40):
        draft = EXTRACTOR.condense([source], limit)
        if draft is not None:
            (line,) = draft.lines
            assert line.role is None
            kept = line.text.split(" […] ")
            assert "".join(kept).count("…") == 0
            assert all(piece in text.split(" […] ") for piece in kept)


def test_what_is_asked_for_comes_first(talk):
    sources = talk(
        "I bought a Yamaha piano for 900 euros in Hamburg.",
        "You paid 900 euros for a piano made by Yamaha in Hamburg.",
        "The dentist is a dentist is a dentist.",
    )
    limit = COUNT(sources[0].text) + COUNT(sources[1].text)
    assert "dentist" not in text_of(EXTRACTOR.condense(sources, limit))
    assert "dentist" in text_of(EXTRACTOR.condense(sources, limit, about=terms("dentist")))


def test_a_question_that_stayed_open_is_kept(talk):
    sources = talk("I like tea. I like pie. Should I quit?")
    assert "Should I quit?" in text_of(EXTRACTOR.condense(sources, 5))


def test_a_code_block_is_kept_whole_or_not_at_all(talk):
    code = "```python\nx = 1. \ny = 2. \n```\n"
    sources = talk(f"Look:\n{code}Done and dusted.")
    for limit in range(1, 40):
        draft = EXTRACTOR.condense(sources, limit)
        kept = text_of(draft) if draft else ""
        assert ("```" in kept) == (code.strip() in kept)


def test_the_same_messages_are_read_once(talk, monkeypatch):
    read = []
    real = extractive_condenser.pieces_of

    def pieces_of(sources, *rest):
        read.append(len(sources))
        return real(sources, *rest)

    monkeypatch.setattr(extractive_condenser, "pieces_of", pieces_of)
    extractor = ExtractiveCondenser(COUNT)
    sources = talk("I live in Oslo. My cat is Miso.", "Lovely! Miso is a fine name.")
    long, short = (extractor.condense(sources, limit) for limit in (1_000, 8))
    assert len(read) == 1
    assert (long, short) == tuple(
        ExtractiveCondenser(COUNT).condense(sources, n) for n in (1_000, 8)
    )
    read.clear()
    extractor.condense(sources, 8, ["miso"])
    sources.pop()
    assert extractor.condense(sources, 1_000).lines[-1].text == sources[-1].text
    assert len(read) == 2
