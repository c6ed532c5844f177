"""``unabridged search`` as a person sees it."""

import click
import pytest

from unabridged.cli.views.found import excerpt

LONG = "The sun shone and we walked. " * 8 + "Then the kettle broke. " + "We went home. " * 8


@pytest.fixture
def told(run):
    run("ask", "--new", "The hotel in Lisbon was called Azul.")
    run("ask", "--new", LONG)
    return run


def test_nothing_is_said_plainly_with_the_nearest_below(told):
    ran = told("search", "xyzzyplugh")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0] == 'Nothing matches "xyzzyplugh".'
    assert lines[1] == "Nearest, below the threshold:"
    assert told("search", "xyzzyplugh", "--json").data == []


def test_a_phrase_that_is_not_there_says_so(told):
    lines = told("search", '"Azul hotel"').out.splitlines()
    assert lines[0] == 'Nothing matches "Azul hotel".'
    assert lines[1] == "Nearest, without the exact words:"
    assert "Azul" in "".join(lines)


def test_the_part_around_the_match_is_shown(told):
    out = told("search", "kettle").out
    assert "the kettle broke" in out
    assert all(len(line) <= 80 for line in out.splitlines())


def test_matches_are_marked_in_a_terminal_and_plain_elsewhere(told):
    shown = excerpt("The hotels of Lisbon", "hotel", 60)
    assert "\x1b[" in shown
    assert click.unstyle(shown) == "The hotels of Lisbon"
    assert "\x1b[" not in told("search", "hotel").out


def test_json_says_whether_each_matched(told):
    found = told("search", "zebra", "--min-relevance", "0", "--json").data
    assert found
    assert {one["matched"] for one in found} == {False}
    assert {one["matched"] for one in told("search", "hotel", "--json").data} == {True}


def test_options_narrow(told):
    assert "Azul" in told("search", "hotel", "--role", "user", "--since", "2000-01-01").out
    assert told("search", "hotel", "--until", "2000-01-01").out == 'Nothing matches "hotel".\n'
    assert "Azul" in told("search", "called Azul", "--exact").out
    session = told("search", "hotel", "--json").data[0]["exchange"]["session"]
    assert "Azul" in told("search", "hotel", "--session", session).out
    assert told("search", "x", "--since", "2026-02-01", "--until", "2026-01-01").code != 0
