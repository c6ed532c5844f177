"""Check that a model's text is grounded in its sources, as far as that can be tested.

Every name, number and date in it must occur in the sources. Any capitalised word that they lack
counts as a name, so that the check is strict.
"""

import re
from collections.abc import Sequence
from datetime import datetime

from unabridged.domain.condensation import CondenseSource
from unabridged.language.calendar import MONTHS, WEEKDAYS, dates_in, found_dates
from unabridged.language.names import NO_NAMES, capitalised, marked_names, numbers_in
from unabridged.language.number_words import spelt_numbers
from unabridged.language.words import fold, stem

_KATAKANA = re.compile("[\u30a1-\u30fa\u30fc]{2,}")
_WORD = re.compile(r"\w+")
_REPORTED = frozenset(
    """
    discussed discussing mentioned asked explained described planned shared talked told said noted
    conversation talk topics key main points speaker speakers people person participants someone
    nobody everyone currently previously later earlier afterwards
    """.split()
)
"""Words that name nothing but begin a summary's sentences with a capital."""
_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()


def invented(text: str, sources: Sequence[CondenseSource]) -> list[str]:
    """Return names, numbers and dates of a text that its sources do not contain.

    Returns:
        What is not grounded, in the words of the text, folded; empty if all is.
    """
    said = " ".join(source.text for source in sources)
    found = _names(text, said)
    found += sorted(dates_in(text) - _known_dates(said, [source.at for source in sources]))
    return found + sorted(_numbers(text) - _known_numbers(said, sources))


def _names(text: str, said: str) -> list[str]:
    flat = _flat(said)
    spoken = frozenset(flat.split())
    stems = frozenset(map(stem, spoken))
    missing: list[str] = []
    for found in capitalised(text):
        for run in _runs(found):
            new = [word for word in run if word not in spoken and stem(word) not in stems]
            if new or (len(run) > 1 and f" {' '.join(run)} " not in flat):
                missing.append(" ".join(run))
    folded = fold(said)
    marked = marked_names(text).union(_KATAKANA.findall(text))
    missing += sorted(name for name in marked if not _occurs(name, flat, folded))
    return list(dict.fromkeys(missing))


def _occurs(name: str, flat: str, folded: str) -> bool:
    return f" {_flat(name).strip()} " in flat or name in folded


def _flat(text: str) -> str:
    folded = re.sub(r"'s\b", "", fold(text))
    return f" {' '.join(_WORD.findall(folded))} "


def _runs(capitalised: str) -> list[list[str]]:
    runs: list[list[str]] = [[]]
    for word in _flat(capitalised).split():
        if word in NO_NAMES or word in _REPORTED or word in MONTHS or word in WEEKDAYS:
            runs.append([])
        else:
            runs[-1].append(word)
    return [run for run in runs if run]


def _known_dates(said: str, times: Sequence[datetime]) -> set[str]:
    full = set(dates_in(said))
    full.update(at.date().isoformat() for at in times)
    full.update(_DAYS[at.weekday()] for at in times)
    years = {at.strftime("%Y") for at in times} | set(re.findall(r"\b(?:1[5-9]|20)\d\d\b", said))
    known = set(full)
    for date in full:
        parts = date.split("-")
        if len(parts) == 3:
            known.update({f"{parts[0]}-{parts[1]}", f"{parts[1]}-{parts[2]}", parts[1]})
        elif len(parts) == 2 and len(parts[0]) == 4:
            known.add(parts[1])
        elif len(parts) == 2:
            known.update({parts[0], *(f"{year}-{date}" for year in years)})
    return known


def _numbers(text: str) -> set[str]:
    folded = fold(text)
    for _, begin, end in reversed(found_dates(folded)):
        folded = f"{folded[:begin]} {folded[end:]}"
    return set(numbers_in(folded) | spelt_numbers(folded, sure=True))


def _known_numbers(said: str, sources: Sequence[CondenseSource]) -> set[str]:
    known = set(numbers_in(said) | spelt_numbers(said)) | {"1"}
    for source in sources:
        known.update({str(source.at.year), str(source.at.month), str(source.at.day)})
    return known
