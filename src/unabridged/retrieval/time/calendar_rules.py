"""The rules for names of the calendar: dates, months, years, weekdays, seasons, holidays."""

import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta

from unabridged.retrieval.time.ranges import (
    Group,
    TimeRange,
    a_date,
    easter,
    midnight,
    month_span,
    nth_weekday,
    searcher,
)
from unabridged.retrieval.time.words import (
    BEFORE_HOLIDAY,
    BEFORE_SEASON,
    BEFORE_YEAR,
    FULL_NAMES,
    HOLIDAYS,
    LANGUAGES,
    MOVING,
    NAMES_TOO,
    NEXT,
    NOT_DATES,
    ORDINALS,
    SEASONS,
    SURE_MONTH,
    TO,
)

MONTH_OF = {
    name: number
    for language in LANGUAGES.values()
    for number, names in enumerate(language.months, 1)
    for name in names.split("|")
}
DAY_OF = {
    name: number
    for language in LANGUAGES.values()
    for number, names in enumerate(language.weekdays)
    for name in names.replace("-?", "-").split("|")
}
_MONTH = "|".join(sorted(MONTH_OF, key=len, reverse=True))
_YEAR = r"(?:19|20)\d\d"
_OF_YEAR = rf"(?:,? (?:of |de |del |in )?(?P<y>{_YEAR})(?!\d))?"
_ORDINAL = r"(?:st|nd|rd|th|er|\.|º|°)?"
_next = searcher(rf"\b(?:{NEXT}) (?:the )?$")
_joins = searcher(rf"\b(?:{_MONTH})(?: {_YEAR})?,? ?(?:{TO}|or|oder|ou|o|-|–|,) ?$")
_sure = searcher(rf"\b(?:{SURE_MONTH}) (?:the )?$")
_habit = searcher(r"^ (?:nights|mornings|evenings|afternoons)\b")
_bare_habit = searcher(r"\b(?:les?|tous|il|la|gli|ogni|chaque) $")
_before_month = {
    code: searcher(rf"(?:^|\W)(?:{lang.in_month})(?: the| d[aeo]| l[ae])?[ '-]?$")
    for code, lang in LANGUAGES.items()
}
_before_day = {code: searcher(rf"\b(?:{lang.on_day}) $") for code, lang in LANGUAGES.items()}
_months_by_language = {
    code: frozenset("|".join(lang.months).split("|")) for code, lang in LANGUAGES.items()
}
_days_by_language = {
    code: frozenset("|".join(lang.weekdays).replace("-?", "-").split("|"))
    for code, lang in LANGUAGES.items()
}


YOUNG = 10
"""Days of a month in which its name may still mean last year's."""
_this = searcher(r"\bthis $")


def _stretch(
    m: re.Match[str], now: datetime, since: date, until: date, slack: float = 1.0,
    *, sure: float = 0.95, yearless: bool = False, word: str | int = 0,
) -> TimeRange:  # fmt: skip
    start, begins, ends = m.start(word), midnight(since, now), midnight(until, now)
    return TimeRange(start, m.end(), begins, ends, slack, sure, yearless=yearless)


def _month(m: re.Match[str], text: str, now: datetime) -> Iterator[TimeRange]:
    name, before = m["m"], m.string[: m.start()]
    capital = text[m.start("m")].isupper()
    if _next(before):
        return
    if m["y"]:
        yield _stretch(m, now, *month_span(int(m["y"]), MONTH_OF[name]), slack=6.0)
        return
    meant = _meant(name, before, capital=capital)
    if not meant:
        return
    number, year = MONTH_OF[name], now.year
    if number > now.month or (number == now.month and before.endswith("last ")):
        year -= 1
    yield _stretch(m, now, *month_span(year, number), slack=6.0, sure=meant, yearless=True)
    if number == now.month and now.day <= YOUNG and year == now.year and not _this(before):
        days = month_span(year - 1, number)
        yield _stretch(m, now, *days, slack=6.0, sure=meant / 2, yearless=True)


def _meant(name: str, before: str, *, capital: bool) -> float:
    if name in NAMES_TOO and not capital:
        return 0.9 if _sure(before) or _joins(before) else 0.0
    tongues = (code for code, names in _months_by_language.items() if name in names)
    if any(_before_month[code](before) for code in tongues) or _joins(before):
        return 0.9
    return 0.6 if capital and name in FULL_NAMES else 0.0


def _day(m: re.Match[str], text: str, now: datetime) -> Iterator[TimeRange]:
    name, given = m["m"], m.groupdict()
    loose = name in NAMES_TOO and not text[m.start("m")].isupper()
    if loose and not (m["y"] or re.search(r"\d(?:st|nd|rd|th)", m.group())):
        return
    if _next(m.string[: m.start()]):
        return
    month, last = MONTH_OF[name], given.get("d2") or m["d"]
    year = int(m["y"]) if m["y"] else now.year
    if not m["y"] and (month, int(m["d"])) > (now.month, now.day):
        year -= 1
    since, until = a_date(year, month, int(m["d"])), a_date(year, month, int(last))
    if since and until and since <= until:
        end = until + timedelta(days=1)
        sure = 0.95 if m["y"] else 0.85
        yield _stretch(m, now, since, end, 1.5, sure=sure, yearless=not m["y"])


def _iso(m: re.Match[str], _: str, now: datetime) -> Iterator[TimeRange]:
    if m["d"] is None:
        if 1 <= int(m["m"]) <= 12:
            yield _stretch(m, now, *month_span(int(m["y"]), int(m["m"])), slack=6.0)
    elif day := a_date(int(m["y"]), int(m["m"]), int(m["d"])):
        yield _stretch(m, now, day, day + timedelta(days=1), 1.0)


def _numbers(m: re.Match[str], _: str, now: datetime) -> Iterator[TimeRange]:
    first, second, year = int(m["a"]), int(m["b"]), m.groupdict().get("y")
    orders = {(first, second)} if m["s"] == "." else {(first, second), (second, first)}
    days: list[date | None] = []
    for day, month in sorted(orders):
        if year:
            days.append(a_date(int(year) + (0 if len(year) == 4 else 2000), month, day))
        else:
            passed = (month, day) <= (now.month, now.day)
            days.append(a_date(now.year if passed else now.year - 1, month, day))
    held = [day for day in days if day]
    for one in held:
        yield _stretch(m, now, one, one + timedelta(days=1), sure=0.95 if len(held) == 1 else 0.7)


def _year(m: re.Match[str], _: str, now: datetime) -> Iterator[TimeRange]:
    year = int(m["y"])
    yield _stretch(m, now, date(year, 1, 1), date(year + 1, 1, 1), 30.0, word="y")


def _quarter(m: re.Match[str], _: str, now: datetime) -> Iterator[TimeRange]:
    given = m.groupdict()
    number = int(given["q"]) if given.get("q") else _nth(m["o"]) + 1
    month = 3 * number - 2 if number else 10
    year = int(m["y"]) if m["y"] else now.year - (month > now.month)
    yield _stretch(m, now, *month_span(year, month, 3), slack=10.0, yearless=not m["y"])


def _within_month(m: re.Match[str], _: str, now: datetime) -> Iterator[TimeRange]:
    month, nth = MONTH_OF[m["m"]], _nth(m["o"])
    year = int(m["y"]) if m["y"] else now.year - (month > now.month)
    if m["w"] == "week":
        since, until = month_span(year, month)
        begins = since + timedelta(days=7 * nth) if nth >= 0 else until - timedelta(days=7)
        yield _stretch(m, now, begins, begins + timedelta(days=7), 2.0, sure=0.9)
        return
    length = 2 if m["w"] == "weekend" else 1
    day = nth_weekday(year, month, 5 if length == 2 else DAY_OF[m["w"]], nth)
    if day:
        yield _stretch(m, now, day, day + timedelta(days=length), 1.5, sure=0.9)


def _nth(words: str) -> int:
    return next(n for word, n in ORDINALS.items() if words in word.split("|"))


def _weekday(m: re.Match[str], text: str, now: datetime) -> Iterator[TimeRange]:
    name, before = m["d"], m.string[: m.start()]
    capital = text[m.start()].isupper()
    if _next(before) or _habit(m.string[m.end() :]):
        return
    tongues = [code for code, names in _days_by_language.items() if name in names]
    told = any(_before_day[code](before) for code in tongues)
    last = before.endswith(("last ", "past ", "letzten ", "vorigen ")) or bool(m["last"])
    if name in {"sun", "sat", "mon"} and not capital:
        return
    bare = (capital and name in FULL_NAMES) or (
        {"fr", "it"} & {*tongues} and not _bare_habit(before)
    )
    if not (told or last or bare):
        return
    back = (now.weekday() - DAY_OF[name] - 1) % 7 + 1
    day = now.date() - timedelta(days=back)
    yield _stretch(m, now, day, day + timedelta(days=1), sure=0.9 if told or last else 0.6)
    if last and back < 7 and DAY_OF[name] < now.weekday():
        week_before = day - timedelta(days=7)
        yield _stretch(m, now, week_before, week_before + timedelta(days=1), sure=0.5)


def _season(m: re.Match[str], _: str, now: datetime) -> Iterator[TimeRange]:
    month, length = next(s for words, s in SEASONS.items() if m["s"] in words.split("|"))
    if m["y"]:
        yield _stretch(m, now, *month_span(int(m["y"]), month, length), slack=20.0, word="s")
        return
    running, sure = month_span(now.year - (month > now.month), month, length), 0.85
    if re.search(r"\b(?:last|letzten|vergangenen) ", m.group()) and now.date() < running[1]:
        running = month_span(running[0].year - 1, month, length)
    elif re.match("this|diese|cet|este|nest|quest", m.group()):
        sure = 0.85 if running[0].year == now.year or now.date() < running[1] else 0.0
    if sure:
        yield _stretch(m, now, *running, slack=20.0, sure=sure, yearless=True, word="s")


def _holiday(m: re.Match[str], _: str, now: datetime) -> Iterator[TimeRange]:
    for year in (int(m["y"]),) if m["y"] else (now.year, now.year - 1):
        since, until = _feast(m["h"], year)
        if since <= now.date() or m["y"]:
            yield _stretch(m, now, since, until, 2.0, sure=0.85, yearless=not m["y"], word="h")
            return


def _feast(words: str, year: int) -> tuple[date, date]:
    for pattern, (month, first, end) in HOLIDAYS.items():
        if re.fullmatch(pattern, words):
            begin = date(year, month, 1)
            return begin + timedelta(days=first - 1), begin + timedelta(days=end - 1)
    rule = next(rule for pattern, rule in MOVING.items() if re.fullmatch(pattern, words))
    day = easter(year) if rule is None else nth_weekday(year, *rule)
    day = day or date(year, 1, 1)
    return day - timedelta(days=1), day + timedelta(days=2)


_WEEKDAYS = "|".join(sorted(DAY_OF, key=len, reverse=True))
_NO_UNIT = rf"(?![\d:%]|[.,]\d| ?(?:am|pm|a\.m|p\.m|{NOT_DATES})\b)"
_DAY, _SECOND = r"(?P<d>\d{1,2})", r"(?P<d2>\d{1,2})"
_TO_DAY = rf" ?(?:-|–|{TO}) ?"
_DATES = (
    (rf"\b(?P<m>{_MONTH})\b\.?{_OF_YEAR}", _month),
    (rf"(?<![\d./:$€£-]){_DAY}{_ORDINAL} (?:of |de |di )?(?P<m>{_MONTH})\b\.?{_OF_YEAR}", _day),
    (rf"\b(?P<m>{_MONTH})\.? (?:the )?{_DAY}(?:st|nd|rd|th)?{_NO_UNIT}{_OF_YEAR}", _day),
    (
        rf"(?<![\d./:$€£-]){_DAY}{_ORDINAL}{_TO_DAY}{_SECOND}{_ORDINAL} "
        rf"(?:of |de |di )?(?P<m>{_MONTH})\b{_OF_YEAR}",
        _day,
    ),
    (
        rf"\b(?P<m>{_MONTH})\.? {_DAY}(?:st|nd|rd|th)?{_TO_DAY}{_SECOND}(?:st|nd|rd|th)?"
        rf"{_NO_UNIT}{_OF_YEAR}",
        _day,
    ),
    (
        rf"\b(?P<o>{'|'.join(ORDINALS)}) (?P<w>week|weekend|{_WEEKDAYS}) (?:of|in) "
        rf"(?P<m>{_MONTH})\b{_OF_YEAR}",
        _within_month,
    ),
)
_FIGURES = (
    (
        rf"(?<![\w./-])(?P<y>{_YEAR})[-/](?P<m>\d{{1,2}})(?:[-/](?P<d>\d{{1,2}}))?(?![\w/-])",
        _iso,
    ),
    (
        r"(?<![\w./-])(?P<a>\d{1,2})(?P<s>[/-])(?P<b>\d{1,2})(?P=s)"
        rf"(?P<y>{_YEAR}|(?<=/)\d\d)(?![\w/-])",
        _numbers,
    ),
    (
        rf"(?<![\w./-])(?P<a>\d{{1,2}})(?P<s>\.) ?(?P<b>\d{{1,2}})\. ?(?P<y>{_YEAR})(?![\w/-]|\.\d)",
        _numbers,
    ),
    (r"(?<=\bon )(?P<a>\d{1,2})(?P<s>/)(?P<b>\d{1,2})(?![\w/-])", _numbers),
    (r"(?<=\bam )(?P<a>\d{1,2})(?P<s>\.) ?(?P<b>\d{1,2})\.(?!\d)", _numbers),
    (
        rf"(?:(?:(?<=\W)|^)(?:{BEFORE_YEAR})|(?<={_YEAR} )(?:{TO}|or)) (?:the )?(?:year )?"
        rf"(?P<y>{_YEAR}){_NO_UNIT}(?![\w/-])",
        _year,
    ),
    (rf"\bq(?P<q>[1-4])\b(?: ?/?(?:of )?(?P<y>{_YEAR}))?", _quarter),
    (rf"\b(?P<o>first|second|third|fourth|last) quarter (?:of|in) (?P<y>{_YEAR})", _quarter),
)
_NAMED_DAYS = (
    (
        rf"\b(?:\b(?P<last>scors[oa] |pasado ))?(?P<d>{_WEEKDAYS})\b(?! dernier| pasado| passad)",
        _weekday,
    ),
    (rf"\b(?P<d>{_WEEKDAYS}) (?P<last>dernier|passe|pasado|passad[oa]|scors[oa])\b", _weekday),
)
_SEASONS = "|".join(SEASONS)
_HOLIDAYS = "|".join((*HOLIDAYS, *MOVING))
_FEASTS = (
    (rf"(?:(?<=\W)|^)(?:{BEFORE_SEASON})(?P<s>{_SEASONS})\b{_OF_YEAR}", _season),
    (rf"\b(?P<s>{_SEASONS}) (?:of |de |del )?(?P<y>{_YEAR})\b", _season),
    (rf"(?:(?<=\W)|^)(?:{BEFORE_HOLIDAY})(?P<h>{_HOLIDAYS})\b{_OF_YEAR}", _holiday),
)
DATE_RULES: tuple[Group, ...] = (
    (rf"\b(?:{_MONTH})\b", _DATES),
    (r"\d", _FIGURES),
    (rf"\b(?:{_WEEKDAYS})\b", _NAMED_DAYS),
    (rf"\b(?:{_SEASONS}|{_HOLIDAYS})\b", _FEASTS),
)
"""Patterns over folded text with their rules, after a pattern that all need."""
