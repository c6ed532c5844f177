"""The rules for single time expressions: a pattern, and a function of its match."""

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import date, datetime, timedelta
from functools import partial

from unabridged.retrieval.time.calendar_rules import DATE_RULES
from unabridged.retrieval.time.ranges import (
    Group,
    Rule,
    TimeRange,
    midnight,
    month_span,
    searcher,
    shifted,
)
from unabridged.retrieval.time.words import (
    LANGUAGES,
    UNCLEAR_COUNTS,
    UNIT_DAYS,
    VAGUE,
    WEEKEND,
    Language,
)

CORE = {"day": 0.0, "week": 2.0, "fortnight": 2.0, "month": 10.0, "quarter": 20.0, "year": 60.0}
"""Days to either side that "… ago" surely covers, by unit."""
UNCLEAR = (0.6, 1.7)
"""The least and greatest multiple that "a few" means."""
CALENDAR = frozenset({"week", "weekend", "month", "quarter", "year", "decade"})
_counting = searcher(r"\bhow $")
_unclear = searcher(UNCLEAR_COUNTS)


def _ago(m: re.Match[str], _: str, now: datetime, language: Language) -> Iterator[TimeRange]:
    if _counting(m.string[: m.start()]):
        return
    number, unit = _count(m["n"], language), _unit(m["u"], language)
    number += 0.5 if "and a half" in m.group() else 0.0
    days = number * UNIT_DAYS[unit]
    where = m.span()
    if _unclear(m["n"]):
        since, until = (shifted(now, -days * share) for share in reversed(UNCLEAR))
        yield TimeRange(*where, since, until, max(0.5, days * 0.4), 0.8)
    elif days < 1:
        early, late = shifted(now, -days * 1.25), shifted(now, -days * 0.75)
        yield TimeRange(*where, early, late, max(1 / 24, days / 4), 0.9)
    elif unit == "weekend":
        first = shifted(_saturday(now, 0), -7 * number)
        yield TimeRange(*where, first, shifted(first, 2), 2.0, 0.8)
    else:
        core = CORE.get(unit, 60.0)
        day = midnight(shifted(now, -days).date(), now)
        since, until = shifted(day, -core), shifted(day, 1 + core)
        yield TimeRange(*where, since, until, 1 + core + days * 0.05, 0.95)


def _last(m: re.Match[str], _: str, now: datetime, language: Language) -> Iterator[TimeRange]:
    if (unit := _unit(m["u"], language)) in CALENDAR:
        since, until = _calendar(unit, now, -1)
        yield TimeRange(*m.span(), since, until, max(1.5, (until - since).days / 5))


def _this(m: re.Match[str], _: str, now: datetime, language: Language) -> Iterator[TimeRange]:
    unit = _unit(m["u"], language)
    if unit == "weekend" and now.weekday() < 5:
        if now.weekday() <= 1:
            since = _saturday(now, -1)
            yield TimeRange(*m.span(), since, shifted(since, 2), 1.5, 0.5)
    elif unit in CALENDAR:
        since, until = _calendar(unit, now, 0)
        yield TimeRange(*m.span(), since, until, max(1.0, (until - since).days / 10), 0.9)


def _past(m: re.Match[str], _: str, now: datetime, language: Language) -> Iterator[TimeRange]:
    number = _count(m["n"], language) if "n" in m.re.groupindex else 1.0
    days = number * UNIT_DAYS[_unit(m["u"], language)]
    days *= UNCLEAR[1] if "n" in m.re.groupindex and _unclear(m["n"]) else 1.0
    if not re.match(r" (?:of|de|der|des|di|del|du)\b", m.string[m.end() :]):
        since = shifted(now, -days)
        if days >= 1:
            since = midnight(since.date(), now)
        yield TimeRange(*m.span(), since, now, max(0.25, days * 0.15), 0.95)


def _days(m: re.Match[str], _: str, now: datetime, language: Language) -> Iterator[TimeRange]:
    back, begins, ends = next(
        day for words, day in language.days.items() if re.fullmatch(words, m.group())
    )
    day = shifted(midnight(now.date(), now), -back)
    since, until = (day + timedelta(hours=hours) for hours in (begins, ends))
    yield TimeRange(*m.span(), since, until, 0.5 if ends - begins == 24 else 0.4)


def _weekend(m: re.Match[str], _: str, now: datetime) -> Iterator[TimeRange]:
    # The weekend alone: the current one, else the last.
    since, until = _calendar("weekend", now, 0 if now.weekday() >= 5 else -1)
    yield TimeRange(*m.span(), since, until, 1.5, 0.9)


def _vague(m: re.Match[str], _: str, now: datetime) -> Iterator[TimeRange]:
    far, near = next(reach for words, reach in VAGUE.items() if re.search(rf"^{words}$", m.group()))
    since, until = shifted(now, -far), shifted(now, -near)
    yield TimeRange(*m.span(), since, until, max(1.0, far / 4), 0.3, anchor=False)


def _count(words: str, language: Language) -> float:
    if words.isdigit():
        return float(words)
    return next(n for word, n in language.counts.items() if re.fullmatch(word, words))


def _unit(words: str, language: Language) -> str:
    return next(unit for unit, word in language.units.items() if re.fullmatch(word, words))


def _saturday(now: datetime, weeks: int) -> datetime:
    return shifted(midnight(now.date(), now), 5 - now.weekday() + 7 * weeks)


def _calendar(unit: str, now: datetime, step: int) -> tuple[datetime, datetime]:
    if unit == "weekend":
        weeks = 0 if step == 0 else -1
        since = _saturday(now, weeks)
        return since, shifted(since, 2)
    if unit == "week":
        since = shifted(midnight(now.date(), now), -now.weekday() + 7 * step)
        return since, shifted(since, 7)
    days = _months(unit, now.date(), step)
    return midnight(days[0], now), midnight(days[1], now)


def _months(unit: str, today: date, step: int) -> tuple[date, date]:
    length = {"month": 1, "quarter": 3, "year": 12, "decade": 120}[unit]
    index = (today.year * 12 + today.month - 1) // length * length + step * length
    return month_span(index // 12, index % 12 + 1, length)


def _either(words: Iterable[str]) -> str:
    # An alternation, longest first so that "a couple of" is not read as "a".
    return "|".join(sorted(words, key=len, reverse=True))


def _group(language: Language) -> Group:
    counts = rf"(?P<n>{_either(language.counts)}|(?<![\d.,])\d{{1,3}})"
    units = f"(?P<u>{_either(language.units.values())})"
    days = _either(language.days)
    patterns: tuple[tuple[str, Callable[..., Iterator[TimeRange]]], ...] = (
        (language.ago, _ago),
        (language.last, _last),
        (language.rolling, _past),
        (language.this, _this),
        (language.past, _past),
        (days, _days),
    )
    rules: list[tuple[str, Rule]] = []
    for pattern, rule in patterns:
        for one in _alternatives(pattern):
            filled = one.replace("{n}", counts).replace("{u}", units)
            rules.append((rf"\b(?:{filled})(?!\w)", partial(rule, language=language)))
    return rf"\b(?:{_either(language.units.values())}|{days})\b", tuple(rules)


def _alternatives(pattern: str) -> list[str]:
    # Split at top-level ``|`` so that a slot's group name comes once in each pattern.
    if pattern.count("{u}") <= 1:
        return [pattern]
    parts, depth = [""], 0
    for character in pattern:
        depth += (character in "([") - (character in ")]")
        if character == "|" and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return parts


_LOOSE: Group = (
    rf"\b(?:{_either(VAGUE)}|{WEEKEND})\b",
    (
        (rf"\b(?:{_either(VAGUE)})\b", _vague),
        (
            rf"\b(?:{WEEKEND})(?! (?:of|before|after|prior|following)\b)",
            _weekend,
        ),
    ),
)
RULES: tuple[Group, ...] = (*map(_group, LANGUAGES.values()), _LOOSE, *DATE_RULES)
"""Every pattern with its rule; if readings overlap, the longest words win."""
