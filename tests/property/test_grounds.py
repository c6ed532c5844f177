"""A text with an invented name, number or date is never taken, wherever it stands."""

import re
from datetime import UTC, datetime

from hypothesis import assume, given, strategies as st

from unabridged.condense.grounding_check import invented
from unabridged.domain.condensation import CondenseSource
from unabridged.domain.message import Role
from unabridged.language.words import fold, stem, terms

AT = datetime(2026, 11, 22, tzinfo=UTC)
SAID = (
    "Ada Lindqvist moved to Oslo on 3 May 2024 with Tom.",
    "She pays 1,200 euros for seven rooms, I think, at 19:30.",
    "They read about ships and never went to sea.",
)
SOURCES = [CondenseSource("e0", n, Role.USER, text, AT) for n, text in enumerate(SAID)]
NAMES = st.builds(
    lambda first, rest: first + rest,
    st.sampled_from("BCDFGKLMNPRSTVZÅÖĐЖД"),
    st.text("aeioulmnrstxа", min_size=4, max_size=9),
)
PLACES = st.sampled_from(
    [
        "{} moved to Oslo.",
        "Ada met {} there.",
        "In Oslo, Ada and {}'s friend went to sea.",
        'They read "{}" about ships.',
        "Tom {} pays.",
        "- {}: rooms.",
        "Ada pays; {}.",
    ]
)


@given(NAMES, PLACES)
def test_an_invented_name_is_found(name, place):
    assume(stem(fold(name)) not in set(terms(" ".join(SAID))))
    assert invented(place.format("Tom" if "Tom " not in place else ""), SOURCES) == []
    assert invented(place.format(name), SOURCES)


@given(
    st.integers(2, 10**7),
    st.sampled_from(["Ada pays {} euros.", "{} rooms.", "Ada has {:,} ships."]),
)
def test_an_invented_number_is_found(number, place):
    said = set(re.findall(r"\d+", " ".join(SAID))) | {"1200", "7", "1", "2026", "11", "22"}
    assume(str(number) not in said)
    assert invented(place.format(number), SOURCES)


@given(st.dates(datetime(1600, 1, 1).date(), datetime(2090, 1, 1).date()))  # noqa: DTZ001 -- days
def test_an_invented_date_is_found(day):
    assume(day.isoformat() not in {"2024-05-03", "2026-11-22", "2026-05-03"})
    for text in (
        f"Ada moved on {day.isoformat()}.",
        f"On {day:%B} {day.day}, {day.year} she moved.",
    ):
        assert invented(text, SOURCES)


@given(st.sampled_from(SAID), st.sampled_from(SAID))
def test_what_was_said_is_no_invention(one, other):
    assert invented(f"{one} {other}", SOURCES) == []
