from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest

from unabridged.retrieval.time.parse_time import Order, closeness, order_hint, spans

NOW = datetime(2023, 5, 30, 14, 0, tzinfo=UTC)  # a Tuesday


def days(text, now=NOW):
    """The days of every span, the last one included; what reaches up to now as "now"."""
    return [
        f"{span.since:%Y-%m-%d}"
        + ("..now" if span.until == now else f"..{span.until - timedelta(seconds=1):%Y-%m-%d}")
        for span in spans(text, now)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("what did we cook yesterday?", "2023-05-29..2023-05-29"),
        ("the day before yesterday", "2023-05-28..2023-05-28"),
        ("what have I asked you today", "2023-05-30..now"),
        ("last night", "2023-05-29..2023-05-30"),
        ("yesterday evening", "2023-05-29..2023-05-30"),
        ("What did I say last week?", "2023-05-22..2023-05-28"),
        ("what did i do last month", "2023-04-01..2023-04-30"),
        ("Where did I travel last year?", "2022-01-01..2022-12-31"),
        ("who visited last weekend", "2023-05-27..2023-05-28"),
        ("over the weekend", "2023-05-27..2023-05-28"),
        ("two weekends ago", "2023-05-20..2023-05-21"),
        ("this week", "2023-05-29..now"),
        ("How many weddings did I attend this year?", "2023-01-01..now"),
        ("10 days ago", "2023-05-20..2023-05-20"),
        ("a day ago", "2023-05-29..2023-05-29"),
        ("what did I plant two weeks ago", "2023-05-14..2023-05-18"),
        ("a fortnight ago", "2023-05-14..2023-05-18"),
        ("about three months ago", "2023-02-18..2023-03-10"),
        ("4 years ago", "2019-03-31..2019-07-29"),
        ("a year and a half ago", "2021-09-29..2022-01-27"),
        ("half a year ago", "2022-09-29..2023-01-27"),
        ("a couple of days ago", "2023-05-27..2023-05-29"),
        ("a few weeks ago", "2023-04-24..2023-05-17"),
        ("20 minutes ago", "2023-05-30..2023-05-30"),
        ("the past three weeks", "2023-05-09..now"),
        ("in the last 3 months", "2023-02-28..now"),
        ("over the past month", "2023-04-30..now"),
        ("the last few days", "2023-05-25..now"),
        ("in the past couple of weeks", "2023-05-06..now"),
        ("last Tuesday", "2023-05-23..2023-05-23"),
        ("on Friday", "2023-05-26..2023-05-26"),
        ("what did i say on thursday night", "2023-05-25..2023-05-25"),
        ("I got it from whom last sat? no, last Saturday", "2023-05-27..2023-05-27"),
        ("in April", "2023-04-01..2023-04-30"),
        ("in december", "2022-12-01..2022-12-31"),
        ("in the month of February", "2023-02-01..2023-02-28"),
        ("last March", "2023-03-01..2023-03-31"),
        ("in May", "2023-05-01..now"),
        ("last May", "2022-05-01..2022-05-31"),
        ("in May 2022", "2022-05-01..2022-05-31"),
        ("my February trip", "2023-02-01..2023-02-28"),
        ("mid-April", "2023-04-08..2023-04-23"),
        ("at the end of March", "2023-03-19..2023-03-31"),
        ("early last year", "2022-01-01..2022-05-26"),
        ("on 3 March 2023", "2023-03-03..2023-03-03"),
        ("on the 3rd of March", "2023-03-03..2023-03-03"),
        ("March 3rd, 2021", "2021-03-03..2021-03-03"),
        ("on Dec 24", "2022-12-24..2022-12-24"),
        ("July 4, 2022 at 3pm", "2022-07-04..2022-07-04"),
        ("on 2023-04-12", "2023-04-12..2023-04-12"),
        ("2022/11", "2022-11-01..2022-11-30"),
        ("on 25/12/2022", "2022-12-25..2022-12-25"),
        ("am 3.4.2023", "2023-04-03..2023-04-03"),
        ("on 4/25", "2023-04-25..2023-04-25"),
        ("in 2022", "2022-01-01..2022-12-31"),
        ("back in 2019", "2019-01-01..2019-12-31"),
        ("in Q1 2023", "2023-01-01..2023-03-31"),
        ("the third quarter of 2022", "2022-07-01..2022-09-30"),
        ("this spring", "2023-03-01..now"),
        ("last summer", "2022-06-01..2022-08-31"),
        ("in the fall of 2021", "2021-09-01..2021-11-30"),
        ("during the winter", "2022-12-01..2023-02-28"),
        ("at Christmas", "2022-12-20..2022-12-27"),
        ("on Valentine's Day", "2023-02-13..2023-02-15"),
        ("over Easter", "2023-04-08..2023-04-10"),
        ("at Thanksgiving", "2022-11-23..2022-11-25"),
        ("between February and April", "2023-02-01..2023-04-30"),
        ("from November to February", "2022-11-01..2023-02-28"),
        ("between March and May 2021", "2021-03-01..2021-05-31"),
        ("between 3 and 10 March", "2023-03-03..2023-03-10"),
        ("March 3-10, 2022", "2022-03-03..2022-03-10"),
        ("between 2019 and 2021", "2019-01-01..2021-12-31"),
        ("from 1 January 2023 until 3 February 2023", "2023-01-01..2023-02-03"),
        ("since March", "2023-03-01..now"),
        ("since last week", "2023-05-22..now"),
        ("before March 2023", "2022-03-01..2023-02-28"),
        ("after 3 May", "2023-05-04..now"),
        ("the Monday before April 24, 2023", "2023-04-17..2023-04-17"),
        ("the weekend before 4th April, 2023", "2023-04-01..2023-04-02"),
        ("two days before 3 March", "2023-03-01..2023-03-01"),
        ("the first weekend of August 2022", "2022-08-06..2022-08-07"),
        ("the last Friday of April", "2023-04-28..2023-04-28"),
        ("the other day", "2023-05-16..2023-05-29"),
        ("recently", "2023-04-30..now"),
    ],
)
def test_english(text, expected):
    assert days(text) == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("gestern", "2023-05-29..2023-05-29"),
        ("Was habe ich vorgestern erzählt?", "2023-05-28..2023-05-28"),
        ("letzte Woche", "2023-05-22..2023-05-28"),
        ("im letzten Monat", "2023-04-01..2023-04-30"),
        ("vor drei Wochen", "2023-05-07..2023-05-11"),
        ("in den letzten zwei Wochen", "2023-05-16..now"),
        ("im März", "2023-03-01..2023-03-31"),
        ("am Montag", "2023-05-29..2023-05-29"),
        ("am 3. Januar 2023", "2023-01-03..2023-01-03"),
        ("letzten Sommer", "2022-06-01..2022-08-31"),
        ("hier", "2023-05-29..2023-05-29"),
        ("la semaine dernière", "2023-05-22..2023-05-28"),
        ("il y a deux semaines", "2023-05-14..2023-05-18"),
        ("l’année dernière", "2022-01-01..2022-12-31"),
        ("ces trois derniers jours", "2023-05-27..now"),
        ("en février", "2023-02-01..2023-02-28"),
        ("vendredi dernier", "2023-05-26..2023-05-26"),
        ("ayer", "2023-05-29..2023-05-29"),
        ("el mes pasado", "2023-04-01..2023-04-30"),
        ("hace tres días", "2023-05-27..2023-05-27"),
        ("en las últimas dos semanas", "2023-05-16..now"),
        ("en enero", "2023-01-01..2023-01-31"),
        ("el 3 de marzo de 2023", "2023-03-03..2023-03-03"),
        ("ontem", "2023-05-29..2023-05-29"),
        ("há dez dias", "2023-05-20..2023-05-20"),
        ("no mês passado", "2023-04-01..2023-04-30"),
        ("em janeiro", "2023-01-01..2023-01-31"),
        ("ieri", "2023-05-29..2023-05-29"),
        ("due settimane fa", "2023-05-14..2023-05-18"),
        ("l'anno scorso", "2022-01-01..2022-12-31"),
        ("venerdì scorso", "2023-05-26..2023-05-26"),
        ("a gennaio", "2023-01-01..2023-01-31"),
    ],
)
def test_other_languages(text, expected):
    assert days(text) == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("on 12/05/2022", ["2022-05-12..2022-05-12", "2022-12-05..2022-12-05"]),
        ("recently, on 4 March", ["2023-03-04..2023-03-04"]),
        ("in March and April", ["2023-03-01..2023-03-31", "2023-04-01..2023-04-30"]),
        ("last Monday", ["2023-05-29..2023-05-29", "2023-05-22..2023-05-22"]),
        ("yesterday or last week", ["2023-05-29..2023-05-29", "2023-05-22..2023-05-28"]),
    ],
)
def test_several_readings(text, expected):
    assert days(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "May I ask something?",
        "you may be right",
        "march on",
        "wait a second",
        "in the sun",
        "the first second counts",
        "an essay in 1999 words",
        "in 2000 characters or less",
        "April told me a secret",
        "What does June think of it?",
        "how many days ago did I buy the lamp?",
        "How many months ago did I attend the workshop?",
        "two weeks before my birthday",
        "plans for next May",
        "next Tuesday",
        "tomorrow morning",
        "in two weeks",
        "every Friday",
        "on Friday nights",
        "in the first three months of my collection",
        "my 5-day trip",
        "a ratio of 3/4 and version 1.2.2023.4",
        "call 555-2023",
        "How long does it take in days?",
        "in 2077",
        "Windows 2000 and Office 2019",
        "spring boot and a summer dress",
        "the fall of Rome",
        "por la segunda vez",
    ],
)
def test_no_time(text):
    assert spans(text, NOW) == []


def test_a_weekend_to_come_is_no_time_but_on_a_tuesday_the_last_may_be_meant():
    assert days("What should I cook this weekend?", NOW + timedelta(days=2)) == []
    assert spans("What did I cook this weekend?", NOW)[0].certainty == 0.5
    saturday = NOW + timedelta(days=4)
    assert days("What did I cook this weekend?", saturday) == ["2023-06-03..now"]


def test_a_month_that_has_only_begun_may_be_the_last_one():
    early = datetime(2023, 5, 3, tzinfo=UTC)
    assert days("in May", early) == ["2023-05-01..now", "2022-05-01..2022-05-31"]
    assert days("this May", early) == ["2023-05-01..now"]


def test_a_pasted_text_is_read_at_its_ends_only():
    pasted = "word " * 300
    assert days(f"What did I say yesterday? {pasted}{pasted}")
    assert not days(f"{pasted} yesterday {pasted}")


def test_zone_of_now():
    zone = timezone(timedelta(hours=9))
    span = spans("yesterday", datetime(2023, 5, 30, 1, 0, tzinfo=zone))[0]
    assert span.since == datetime(2023, 5, 29, tzinfo=zone)
    assert span.since.tzinfo is zone
    assert spans("yesterday", datetime(2023, 5, 30, 1, 0))[0].since.tzinfo is UTC  # noqa: DTZ001 - naive on purpose


def test_closeness():
    found = spans("last month", NOW)
    at = [datetime(2023, *day, 12, tzinfo=UTC).timestamp() for day in ((4, 15), (3, 30), (5, 3))]
    inside, before, after = closeness(found, np.array(at))
    assert inside == pytest.approx(0.95)
    assert 0 < before < after < inside
    far = datetime(2021, 1, 1, tzinfo=UTC).timestamp()
    assert closeness(found, np.array([far]))[0] < 1e-6
    assert closeness([], np.array(at)).tolist() == [0.0, 0.0, 0.0]


def test_closeness_takes_the_nearest_span():
    found = spans("in January and March", NOW)
    at = np.array([datetime(2023, month, 15, tzinfo=UTC).timestamp() for month in (1, 2, 3)])
    first, between, last = closeness(found, at)
    assert between < first == last


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("When was the first time I told you about Graz?", Order.EARLIEST),
        ("when did I first mention my sister", Order.EARLIEST),
        ("What did I originally plan?", Order.EARLIEST),
        ("What was my most recent 5k time?", Order.LATEST),
        ("which phone do I currently use", Order.LATEST),
        ("what did we last talk about", Order.LATEST),
        ("Wann habe ich zuletzt Sport gemacht?", Order.LATEST),
        ("la dernière fois", Order.LATEST),
        ("Which task did I complete first, fixing the fence or purchasing three cows?", None),
        ("What is my first name?", None),
        ("last week", None),
    ],
)
def test_order(text, order):
    assert order_hint(text) is order
