"""``unabridged search`` as a person sees it."""

import json

import click
import pytest

from unabridged.cli.main import cli
from unabridged.cli.views.found import by_score, excerpt
from unabridged.domain.results import SearchResult

LONG = "The sun shone and we walked. " * 8 + "Then the kettle broke. " + "We went home. " * 8


@pytest.fixture
def told(run):
    run("ask", "--new", "The hotel in Lisbon was called Azul.")
    run("ask", "--new", LONG)
    return run


def test_nothing_is_said_plainly(told):
    ran = told("search", "xyzzyplugh")
    assert ran.code == 0
    assert ran.out == 'Nothing matches "xyzzyplugh".\n'
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


@pytest.mark.parametrize("words", ["the", "not", "AND OR NOT"])
def test_stop_words_alone_match_nothing(told, tmp_path, words):
    said = "It is not clear to me what the {} and the other one do, or not, on the {} floor."
    turns = [{"role": "user", "content": said.format(n, n * 7)} for n in range(30)]
    rows = [{"messages": [turn, {"role": "assistant", "content": "I see."}]} for turn in turns]
    path = tmp_path / "said.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    assert told("import", str(path)).code == 0
    lines = told("search", words).out.splitlines()
    assert lines[:2] == [f'Nothing matches "{words}".', "Nearest, not a match:"]
    assert told("search", words, "--json").data == []
    assert told("search", words, "--exact", "--json").data or words == "AND OR NOT"


@pytest.mark.parametrize("words", ["", "  "])
def test_an_empty_query_is_refused_before_anything_is_read(run, words):
    ran = run("search", words)
    assert ran.code == 2
    assert "The query is empty." in ran.err


def test_days_are_named_as_people_do(told):
    for since in ("today", "yesterday", "7d", "2w", "2000-01-01"):
        assert "Azul" in told("search", "hotel", "--since", since).out
    assert told("search", "hotel", "--until", "yesterday").out == 'Nothing matches "hotel".\n'
    for wrong in ("soon", "3h", "2026-13-01"):
        ran = told("search", "hotel", "--since", wrong)
        assert ran.code == 2
        assert "yesterday" in ran.err
    assert told("topics", "--since", "yesterday").code == 0


def test_what_is_found_is_in_the_order_of_what_is_shown():
    shown = [SearchResult(None, score) for score in (1.0, 0.99, 0.981, 0.992, 0.984)]
    assert [one.score for one in by_score(shown)] == [1.0, 0.99, 0.992, 0.981, 0.984]


def options(command, path=("unabridged",)):
    for parameter in command.params:
        if isinstance(parameter, click.Option) and not parameter.hidden:
            yield " ".join([*path, *parameter.opts]), parameter.help
    if isinstance(command, click.Group):
        for name in command.list_commands(click.Context(command)):
            yield from options(command.get_command(click.Context(command), name), (*path, name))


def test_every_option_of_every_command_says_what_it_does():
    found = dict(options(cli))
    assert len(found) > 200
    assert [name for name, said in found.items() if not said] == []


def test_commands_that_look_everywhere_do_not_say_the_newest_session(run):
    for name in ("search", "topics", "condense", "archive"):
        assert "default: the newest" not in run(name, "--help").out
