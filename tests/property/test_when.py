"""Time expressions: any text can be read, and relative ones move with now."""

from datetime import UTC, datetime, timedelta, timezone

import numpy as np
from hypothesis import given, strategies as st

from unabridged.retrieval.time.parse_time import closeness, order_hint, spans
from unabridged.retrieval.time.words import HOLIDAYS, LANGUAGES, SEASONS, VAGUE

NOW = st.datetimes(
    datetime(1970, 1, 2),  # noqa: DTZ001 - hypothesis adds the zone
    datetime(2199, 1, 1),  # noqa: DTZ001
    timezones=st.integers(-12, 14).map(lambda hours: timezone(timedelta(hours=hours))),
)
WORDS = sorted(
    {word for text in (*VAGUE, *SEASONS, *HOLIDAYS) for word in text.split("|")}
    | {name for lang in LANGUAGES.values() for text in lang.months for name in text.split("|")}
    | {name for lang in LANGUAGES.values() for text in lang.weekdays for name in text.split("|")}
    | set(
        "in on at last this past next the of since before after between and from to early mid end "
        "ago days weeks months years two 3 31 99 999 2022 1900 2099 12/31/2020 29 February 0 - , "
        "hace vor il y a semana passada weekend first half a an few".split()
    )
)
ROLLING = st.sampled_from(
    ["yesterday", "3 days ago", "two weeks ago", "the past three weeks", "in the last 5 days",
     "4 months ago", "a couple of days ago", "vor zwei Wochen", "hier", "the other day", "today",
     "last night", "two years ago", "20 minutes ago", "recently"]
)  # fmt: skip


@given(st.text(max_size=300), NOW)
def test_any_text_can_be_read(text, now):
    check(text, now)


@given(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join), NOW)
def test_any_words_of_time_can_be_read(text, now):
    check(text, now)
    check(text.title(), now)


def check(text, now):
    found = spans(text, now)
    for span in found:
        assert span.since <= span.until <= max(now, span.since)
        assert span.since <= now
        assert span.since.tzinfo is now.tzinfo
        assert span.slack > timedelta(0)
        assert 0 < span.certainty <= 1
    near = closeness(found, np.linspace(0.0, now.timestamp(), 7))
    assert ((near >= 0) & (near <= 1)).all()
    assert order_hint(text) in (None, "earliest", "latest")


@given(ROLLING, NOW, st.integers(1, 500))
def test_relative_spans_move_with_now(text, now, later):
    moved = timedelta(days=later)
    before, after = (
        spans(f"What did I say {text}?", now),
        spans(f"What did I say {text}?", now + moved),
    )
    assert before
    assert [(s.since + moved, s.until + moved) for s in before] == [
        (s.since, s.until) for s in after
    ]


@given(st.integers(0, 800), st.integers(1, 400))
def test_a_date_is_found_again_as_it_was_written(back, later):
    day = datetime(2022, 6, 15, tzinfo=UTC) - timedelta(days=back)
    now = day + timedelta(days=later)
    for written in (f"{day:%Y-%m-%d}", f"{day:%d %B %Y}", f"{day:%B} {day.day}, {day.year}"):
        (span,) = spans(f"what happened on {written}?", now)
        assert (span.since, span.until) == (day, min(now, day + timedelta(days=1)))
