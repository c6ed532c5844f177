"""The methods that condensing is held against, and the checks on what they make."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from bench.condense.condense_baselines import ORDERS, UserOnly, same_size
from bench.condense.condense_check import CondenseChecks, CondenseTrial, violations
from bench.condense.condense_text import SplitTexts, said, searchable, unbroken
from unabridged.domain.condensation import CondensationDraft, CondenseSource, Line
from unabridged.domain.message import Role

AT = datetime(2026, 1, 1, tzinfo=UTC)
U, A = Role.USER, Role.ASSISTANT
SOURCES = [
    CondenseSource("x1", 0, U, "We sail on Monday. The boat is called Petronella. She leaks.", AT),
    CondenseSource("x1", 1, A, "Oil the planks first. Then sail. Take Runa with you.", AT),
    CondenseSource("x2", 0, U, "Runa has a greyhound. It eats planks.", AT),
    CondenseSource("x2", 1, A, "A greyhound on a boat? Sail slowly.", AT),
]


def words(text):
    return len(text.split())


@pytest.fixture
def texts():
    return SplitTexts(words)


def made(name, limit, texts, sources=SOURCES):
    return same_size(texts)[name].condense(sources, limit)


def test_leading_takes_the_first_sentences_and_newest_the_last(texts):
    assert made("leading", 9, texts).lines == (
        Line("We sail on Monday. The boat is called Petronella.", "x1", 0, U, (0, 1)),
    )
    assert [line.text for line in made("newest", 10, texts).lines] == [
        "It eats planks.", "A greyhound on a boat? Sail slowly.",
    ]  # fmt: skip


def test_leading_of_each_takes_a_sentence_of_every_message(texts):
    found = made("leading of each", 17, texts)
    assert [line.sentences for line in found.lines] == [(0,)] * 4
    assert found.tokens == 17


def test_user_first_takes_answers_only_when_the_user_was_heard(texts):
    found = made("user first", 22, texts)
    assert [(line.role, line.sentences) for line in found.lines] == [
        (U, (0, 1, 2)), (A, (0,)), (U, (0, 1)),
    ]  # fmt: skip


def test_chance_is_the_same_every_time_and_another_for_other_talk(texts):
    assert made("random", 15, texts) == made("random", 15, SplitTexts(words))
    names = {f"y{n}" for n in range(8)}
    others = [made("random", 15, texts, [replace(s, exchange=n) for s in SOURCES]) for n in names]
    assert len({tuple(line.text for line in each.lines) for each in others}) > 1


def test_what_was_left_out_between_is_marked_and_paid_for(texts):
    sources = [CondenseSource("x", 0, U, "One two three four five six. Nine. Seven eight.", AT)]
    order = dict(same_size(texts))["newest"]
    assert order.condense(sources, 3).lines[0].text == "Nine. Seven eight."
    pieces = texts.sentences(sources[0].text)
    assert said(pieces, (0, 2)) == "One two three four five six. […] Seven eight."


@pytest.mark.parametrize("name", ORDERS)
@pytest.mark.parametrize("limit", range(0, 40, 3))
def test_every_baseline_keeps_to_the_rules(name, limit, texts):
    draft = made(name, limit, texts)
    if draft is None:
        assert limit < 3
        return
    assert draft.by == name
    assert not violations(SOURCES, draft, limit, texts)
    if limit > 36:
        assert [line.text for line in draft.lines] == [s.text for s in SOURCES]


def test_user_messages_come_whole_whatever_the_limit(texts):
    found = UserOnly(texts).condense(SOURCES, 1)
    assert [line.text for line in found.lines] == [s.text for s in SOURCES if s.role is U]


GOOD = CondensationDraft(
    (
        Line("We sail on Monday. […] She leaks.", "x1", 0, U, (0, 2)),
        Line("Runa has a greyhound.", "x2", 0, U, (0,)),
    ),
    11,
    "test",
)


def test_a_good_condensation_passes(texts):
    assert violations(SOURCES, GOOD, 11, texts) == {}


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ({"text": "We sail on Tuesday. […] She leaks."}, "not in its sources"),
        ({"text": "We sail on Monday. […] She"}, "not in its sources"),
        ({"text": "We sail on Monday."}, "not in its sources"),
        ({"sentences": ()}, "not in its sources"),
        ({"sentences": (0, 7)}, "not in its sources"),
        ({"exchange": "x9"}, "not in its sources"),
        ({"role": A}, "not in its sources"),
        ({"text": "She leaks. […] We sail on Monday.", "sentences": (2, 0)}, "out of order"),
    ],
)
def test_what_is_wrong_with_a_line_is_found(line, wrong, texts):
    broken = replace(GOOD, lines=(replace(GOOD.lines[0], **line), GOOD.lines[1]))
    assert violations(SOURCES, broken, 99, texts) == {wrong: 1}


def test_what_is_wrong_with_the_whole_is_found(texts):
    assert violations(SOURCES, GOOD, 10, texts) == {"over the limit": 1}
    assert violations(SOURCES, replace(GOOD, tokens=3), 99, texts) == {"tokens told wrongly": 1}
    swapped = replace(GOOD, lines=GOOD.lines[::-1])
    assert violations(SOURCES, swapped, 99, texts) == {"out of order": 1}
    doubled = replace(GOOD, lines=(GOOD.lines[0], GOOD.lines[0]), tokens=99)
    assert violations(SOURCES, doubled, 99, texts) == {"out of order": 1}


class Liar:
    identity = "liar"

    def condense(self, sources, limit):
        return CondensationDraft((Line("Nobody said this.", "x1", 0, U, (0,)),), 3, "liar")


def test_a_run_counts_what_was_wrong_by_method(texts):
    checks = CondenseChecks(texts)
    methods = {"liar": Liar(), "user": UserOnly(texts), **same_size(texts)}
    trial = CondenseTrial(methods, texts, checks, lambda _: None, unbound=frozenset({"user"}))
    drafts = trial.condensed(SOURCES, 10)
    assert list(drafts) == list(methods)
    found = checks.as_dict()
    assert "user" not in found
    assert found["liar"] == {
        "condensations": 1, "not in its sources": 1, "over the limit": 0, "out of order": 0,
        "tokens told wrongly": 0,
    }  # fmt: skip
    assert found["textrank"]["not in its sources"] == 0


def test_methods_that_know_the_question_come_only_with_one(texts):
    asked = []
    checks = CondenseChecks(texts)
    about = {"about": lambda question: asked.append(question) or same_size(texts)["leading"]}
    trial = CondenseTrial({}, texts, checks, lambda _: None, about)
    assert trial.condensed(SOURCES, 10) == {}
    assert list(trial.condensed(SOURCES, 10, "What leaks?")) == ["about"]
    assert asked == ["What leaks?"]


def test_nothing_is_found_across_what_was_left_out():
    within = searchable(unbroken(GOOD))
    for answer in ("on Monday", "she LEAKS.", "runa has a greyhound"):
        assert searchable([answer]) in within
    for answer in ("Monday She", "leaks Runa", "Mon"):
        assert searchable([answer]) not in within
    assert unbroken(None) == []
