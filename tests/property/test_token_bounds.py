"""The estimate is an upper bound for texts far from prose, under real vocabularies."""

import random

import pytest
from tests.helpers import vocabularies
from tests.helpers.examples import examples
from tests.helpers.odd_texts import KINDS, odd_text

from bench.core.token_errors import lessons
from unabridged.budget.allocate import MARGIN_SHARE
from unabridged.budget.count import Counter
from unabridged.tokens.estimate import EstimateTokenizer

SLACK = 2
"""Tokens that SentencePiece opens a text with, and a cut in the middle of a word."""

LONG = 300
"""Characters from which a text counts alone; shorter ones count together, as messages do."""

MOST = 2_000
"""Characters of the longest text."""

SEEDS = 114
"""Seeds of the long test, about 51,000 counts: each draws a text of every kind, and three mixtures."""

AT_RANDOM = 1.05
"""A further margin of letters in random order: short texts of them were counted at .93 of their cost."""

PATTERNS = ("repeated marks", "repeated any", "one mark", "empty json")
"""Kinds of short patterns repeated all over."""

FAMILIES = ("o200k", "cl100k", "qwen", "tekken", "deepseek", "llama3", "mistral-32k")

NEVER_CHEAPER = (
    "random marks, brackets, brackets <>, repeated marks, one mark, jsfuck, brainf***, nested json,"
    " empty json, sql dump, nul, controls, high controls, white space, space and tab, odd spaces,"
    " random cjk ext B, random cjk ext A, random cyrillic ext, random greek ext, random runic, any character,"
    " private, base64, uuids, perl, percent, letters and digits, random marks"
).split(", ")
"""Kinds that no report on ordinary text makes cheaper."""


class Measured:
    """A real vocabulary as a tokenizer."""

    exact = True

    def __init__(self, name):
        self.identity = name
        self.count = counter(name)


def counter(name):
    if name not in vocabularies.names():
        pytest.skip("the vocabularies are not installed: make setup")
    return vocabularies.counter(name)


def worst(cases):
    """Return the kinds that cost more than estimated and the margin, the worst first."""
    found, short = [], {}
    for kind, text, estimated, real in cases:
        if len(text) < LONG:
            sums = short.setdefault(kind, [0, 0])
            sums[0] += estimated + SLACK
            sums[1] += real
        elif real > estimated * (1 + MARGIN_SHARE) + SLACK:
            found.append((estimated / real, kind, len(text)))
    for kind, (estimated, real) in short.items():
        if real > estimated * (1 + MARGIN_SHARE):
            found.append((estimated / real, kind, "short"))
    return sorted(found, key=lambda one: one[0])[:8]


def at_random(kind):
    return kind == "snake" or kind.startswith("letters of ")


def texts(times, seed, kinds=(*KINDS, "mixture", "mixture", "mixture")):
    rng = random.Random(seed)
    return [(kind, odd_text(rng, kind, MOST)) for _ in range(times) for kind in kinds]


@pytest.mark.parametrize("family", FAMILIES)
def test_no_text_costs_more_than_estimated_and_the_margin(family):
    count, estimate = counter(family), EstimateTokenizer().count
    drawn = texts(examples(8), seed=family)
    assert not worst((kind, text, estimate(text), count(text)) for kind, text in drawn)


@pytest.mark.parametrize("family", FAMILIES)
def test_no_repeated_pattern_costs_more(family):
    count, estimate = counter(family), EstimateTokenizer().count
    drawn = texts(examples(150), seed=f"patterns {family}", kinds=PATTERNS)
    assert not worst((kind, text, estimate(text), count(text)) for kind, text in drawn)


@pytest.mark.parametrize("pattern", [" =(", ",_ ", ")-| ", "|~ ,,", '"_@', "Q"])
def test_a_pattern_repeated_between_words_costs_no_more(pattern):
    count, estimate = counter("mistral-32k"), EstimateTokenizer().count
    text = "This is what the program printed before it stopped: " + 60 * pattern + " and so on."
    assert count(text) <= estimate(text) * (1 + MARGIN_SHARE) + SLACK


@pytest.mark.long
@pytest.mark.timeout(3_000)
def test_no_long_text_costs_more():
    estimate, counts = EstimateTokenizer().count, [counter(name) for name in FAMILIES]
    for part in range(SEEDS):
        drawn = texts(1, seed=f"unseen C {part}")
        long = [
            (kind, text, estimate(text) * (AT_RANDOM if at_random(kind) else 1))
            for kind, text in drawn
            if len(text) >= LONG
        ]
        for count in counts:
            assert not worst((*one, count(one[1])) for one in long)


@pytest.mark.parametrize("lesson", ["english", "chinese", "russian", "code", "json", "mixed"])
@pytest.mark.parametrize("family", ["o200k", "llama3", "mistral-32k"])
def test_what_was_learned_of_ordinary_text_makes_no_odd_text_cheaper(family, lesson):
    truth = Measured(family)
    learned = Counter(EstimateTokenizer(), lessons(lesson, EstimateTokenizer(), truth))
    drawn = texts(examples(12), lesson, NEVER_CHEAPER)
    assert not worst((kind, text, learned.text(text), truth.count(text)) for kind, text in drawn)


def test_reports_may_make_odd_text_dearer():
    estimate = EstimateTokenizer()
    text = odd_text(random.Random(3), "random marks", MOST)
    learned = Counter(estimate).calibration
    for _ in range(20):
        learned = learned.learn(estimate.by_script(text), round(1.3 * estimate.count(text)))
    assert Counter(estimate, learned).text(text) > 1.25 * estimate.count(text)
