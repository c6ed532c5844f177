"""Words around time expressions that change them: "since", "between", "early in"."""

import re
from dataclasses import replace
from datetime import datetime, timedelta

from unabridged.retrieval.time.ranges import TimeRange, compiled, midnight, searcher, shifted
from unabridged.retrieval.time.words import (
    AFTER,
    BETWEEN,
    LANGUAGES,
    PARTS,
    SINCE,
    TO,
    UNIT_DAYS,
    UNTIL,
)

BEFOREHAND = 365.0
"""How many days "before …" reaches back."""
LESS = 0.75
"""The factor on the certainty of an open end."""
_ENGLISH = LANGUAGES["en"]
_COUNTS = "|".join(sorted(_ENGLISH.counts, key=len, reverse=True))
_DAYS = {n: i for i, names in enumerate(_ENGLISH.weekdays) for n in names.split("|")}
_between = searcher(rf"\b(?:{BETWEEN}) (?:the )?$")
_TO = rf" ?(?:\b(?:{TO})|-|–) ?(?:the |le |el |il )?"
_THROUGH = r" ?(?:\b(?:to|through|thru|until|till|bis|hasta)|-|–) ?(?:the )?"
_since = searcher(rf"\b(?:{SINCE}) (?:the )?$")
_until = searcher(rf"\b(?:{UNTIL}) (?:the )?$")
_after = searcher(rf"\b(?:{AFTER}) (?:the )?$")
_counted = searcher(r"\bhow (?:many|much|long)\b[^.?!]*$")
_offset = searcher(
    rf"\b(?:(?P<n>{_COUNTS}|\d{{1,3}}) |the )(?P<u>{'|'.join(_ENGLISH.units.values())}|"
    rf"{'|'.join(_DAYS)}) (?P<way>before|prior to|after|following|of) (?:the )?$"
)
_parts = tuple((searcher(rf"\b(?:{words})[ -]$"), part) for words, part in PARTS.items())


def joined(found: list[TimeRange], flat: str, now: datetime) -> list[TimeRange]:
    """Apply the words before and between the expressions of a text, given in order."""
    read: list[TimeRange] = []
    at = 0
    while at < len(found):
        one = found[at]
        after = next((f for f in found[at + 1 :] if f.start >= one.end), None)
        if after is not None and _a_range(one, after, flat):
            read.append(_range(one, after))
            at = found.index(after) + 1
            while at < len(found) and found[at].start == after.start:
                at += 1
            continue
        read.append(_turned(one, flat[: one.start], now) if one.anchor else one)
        at += 1
    return [f for f in read if not any(_within(f, other) for other in read)]


def _within(one: TimeRange, other: TimeRange) -> bool:
    return other.start <= one.start < one.end <= other.end and one.end < other.end


def _a_range(one: TimeRange, after: TimeRange, flat: str) -> bool:
    between = flat[one.end : after.start]
    if not (one.anchor and after.anchor):
        return False
    opened = _between(flat[: one.start]) and compiled(_TO).fullmatch(between)
    return bool(opened or compiled(_THROUGH).fullmatch(between))


def _range(one: TimeRange, after: TimeRange) -> TimeRange:
    since = one.since
    if one.yearless and not after.yearless:
        since = _in_year(since, after.until.year)
    if since > after.until:
        since = _in_year(since, since.year - 1)
    since = min(since, after.until)
    sure = min(one.certainty, after.certainty)
    return replace(after, start=one.start, since=since, certainty=sure)


def _in_year(moment: datetime, year: int) -> datetime:
    if moment.day == 29 and moment.month == 2:
        moment -= timedelta(days=1)
    return moment.replace(year=max(2, year))


def _turned(one: TimeRange, before: str, now: datetime) -> TimeRange:
    if place := _offset(before):
        return _moved(one, place, now)
    for narrows, (begin, end) in _parts:
        if (match := narrows(before)) and (one.until - one.since).days >= 7:
            length = one.until - one.since
            return replace(
                one,
                start=match.start(),
                since=one.since + begin * length,
                until=one.since + end * length,
                slack=one.slack / 2,
            )
    return _open(one, before, now)


def _open(one: TimeRange, before: str, now: datetime) -> TimeRange:
    since, until, share = one.since, one.until, LESS
    if match := _since(before):
        until, share = max(now, one.since), 1.0
    elif _counted(before):
        return one
    elif match := _until(before):
        since, until = shifted(one.since, -BEFOREHAND), one.since
    elif match := _after(before):
        since, until = one.until, max(now, one.until)
    else:
        return one
    certainty = one.certainty * share
    return replace(one, start=match.start(), since=since, until=until, certainty=certainty)


def _moved(one: TimeRange, place: re.Match[str], now: datetime) -> TimeRange:
    way = 1 if place["way"] in {"after", "following"} else -1
    if place["u"] in _DAYS or place["u"] == "weekend":
        weekday, length = (5, 2) if place["u"] == "weekend" else (_DAYS[place["u"]], 1)
        day = midnight(one.since.date(), now)
        if way < 0:
            day = shifted(day, -((day.weekday() - weekday - length) % 7 + length))
        else:
            day = shifted(day, (weekday - day.weekday() - 1) % 7 + 1)
        return replace(one, start=place.start(), since=day, until=shifted(day, length), slack=1.5)
    unit = next(u for u, words in _ENGLISH.units.items() if re.fullmatch(words, place["u"]))
    if place["way"] == "of" and unit in {"month", "year"}:
        return one
    if place["way"] == "of":
        half = UNIT_DAYS[unit] / 2
        return replace(one, since=shifted(one.since, -half), until=shifted(one.until, half))
    number = place["n"] or "1"
    count = float(number) if number.isdigit() else _count(number)
    days = way * count * UNIT_DAYS[unit]
    since, until = shifted(one.since, days), shifted(one.until, days)
    return replace(one, start=place.start(), since=since, until=until, slack=1 + abs(days) / 5)


def _count(words: str) -> float:
    return next(n for word, n in _ENGLISH.counts.items() if re.fullmatch(word, words))
