"""Whatever is condensed: within the limit, whole sentences, in order, the same twice."""

from datetime import UTC, datetime

from hypothesis import given, strategies as st

from unabridged.condense.extractive_condenser import GAP, ExtractiveCondenser
from unabridged.domain.condensation import CondenseSource
from unabridged.domain.message import Role
from unabridged.language.sentences import sentences
from unabridged.tokens.estimate import EstimateTokenizer

AT = datetime(2026, 11, 22, tzinfo=UTC)
WORDS = st.sampled_from(
    "Ada Oslo went bought 12 cats. I am fine! 3 May. Why? 我喜欢。 ```x. y.``` \n\n Dr. we […] e.g. Привет. 😀".split(
        " "
    )
)
TEXTS = st.one_of(st.lists(WORDS, min_size=1, max_size=25).map(" ".join), st.text(max_size=60))


@st.composite
def sources(draw):
    made = []
    for number, text in enumerate(draw(st.lists(TEXTS, max_size=8))):
        total = len(sentences(text))
        allowed = draw(st.none() | st.lists(st.integers(0, total), unique=True).map(sorted))
        made.append(
            CondenseSource(
                f"e{number // 2}",
                number % 2,
                draw(st.sampled_from([Role.USER, Role.ASSISTANT])),
                text,
                AT,
                importance=draw(st.floats(0, 1)),
                critical=draw(st.booleans()),
                sentences=None if allowed is None else tuple(allowed),
            )
        )
    return made


def by_letters(text):
    """A tokenizer for which a joined text takes more than its parts."""
    return len(text) + text.count("\n") * 3


COUNTS = st.sampled_from([EstimateTokenizer().count, by_letters, lambda text: len(text.split())])


@given(sources(), st.integers(0, 120), COUNTS)
def test_every_draft_keeps_the_rules(given_sources, limit, count):
    draft = ExtractiveCondenser(count).condense(given_sources, limit)
    if draft is None:
        return
    assert draft.tokens == sum(count(line.text) for line in draft.lines) <= limit
    places = {(s.exchange, s.index): (n, s) for n, s in enumerate(given_sources)}
    order = [places[line.exchange, line.index][0] for line in draft.lines]
    assert order == sorted(set(order))
    for line in draft.lines:
        source = places[line.exchange, line.index][1]
        parts = sentences(source.text)
        assert line.role == source.role
        assert line.sentences == tuple(sorted(set(line.sentences)))
        assert source.sentences is None or set(line.sentences) <= set(source.sentences)
        rebuilt = "".join(
            (GAP.strip() if n and number != line.sentences[n - 1] + 1 else "") + parts[number]
            for n, number in enumerate(line.sentences)
        )
        assert "".join(rebuilt.split()) == "".join(line.text.split())


@given(sources(), st.integers(0, 120))
def test_the_same_twice_is_the_same(given_sources, limit):
    count = EstimateTokenizer().count
    assert ExtractiveCondenser(count).condense(given_sources, limit) == ExtractiveCondenser(
        count
    ).condense(list(given_sources), limit)
