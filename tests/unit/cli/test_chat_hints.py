"""What the chat says about what was typed: words for the chat, hints that can be typed there."""

import re

import pytest

from unabridged.cli.chat import commands


@pytest.mark.parametrize("word", ["quit", "exit", "Help", " QUIT "])
def test_a_single_word_for_the_chat_is_not_stored(run, word):
    ran = run("chat", text=f"{word}\nI live in Bern.\n")
    assert ran.code == 0
    assert "Not sent. /" in ran.err
    assert [one["message"] for one in run("show", "--json").data] == ["I live in Bern."]


def test_programs_and_longer_messages_may_say_such_words(run):
    run("chat", "--json", text="quit\n")
    run("chat", text="help me\n")
    assert [one["message"] for one in run("show", "--json").data] == ["quit", "help me"]


@pytest.mark.parametrize("group", sorted({n.split()[0] for n in commands.names() if " " in n}))
def test_a_group_alone_runs_or_names_its_words(run, group):
    ran = run("chat", text=f"{group}\n")
    assert "There is no command" not in ran.err
    if group not in commands.names():
        assert f"{group} needs a word: " in ran.err
        assert f"hint: {group} " in ran.err


def test_a_slash_alone_shows_the_help(run):
    ran = run("chat", text="/\n")
    assert ran.code == 0
    assert "/sessions" in ran.out


def test_help_of_what_is_not_there_names_nothing_that_is_not_near(run):
    assert "Did you mean" not in run("chat", text="/help nosuch\n").err
    assert "Did you mean /search" in run("chat", text="/help serch\n").err


@pytest.mark.parametrize(
    "line",
    [
        "/facts forget 9", "/facts why 9", "/facts pin 9", "/forget abc", "/switch 99", "/branch 9",
        "/pin zzz", "/expand zzz", "/requirements show 9", "/requirements edit 9 foo",
        "/requirements forget 9", "/semantic set zzz fact", "/model nosuch", "/persona nosuch",
    ],
)  # fmt: skip
def test_a_hint_in_the_chat_can_be_typed_in_the_chat(run, line):
    ran = run("chat", text=f"I live in Bern.\n{line}\n")
    hint = ran.err.partition("hint: ")[2]
    assert hint
    assert "unabridged " not in hint
    for typed in re.findall(r"/\w+", hint):
        assert any(f"{name} ".startswith(f"{typed} ") for name in commands.names())


def test_a_session_without_branches_says_so(run):
    ran = run("chat", text="I live in Bern.\n/branch\n/retry\n/branch\n")
    assert ran.err.count("There is no other branch.") == 1
    assert ran.err.count("/branch NUMBER continues another branch") == 1


def test_signs_are_explained_if_they_are_shown(run):
    ran = run("chat", text="I live in Bern.\n/facts\n/facts pin 1\n/facts\n/sessions\n")
    before, after = ran.err.split("Pinned;")
    assert "●" not in before
    assert "● every prompt has it" in after
    assert "● this session" in after
    listed = run("sessions").out
    assert listed.count("●") == 2
    assert "continues it" in listed


def test_a_fact_is_shown_with_its_words_first_and_ids_on_demand(run):
    run("chat", text="I live in Bern.\n")
    fact = run("facts", "list", "--json").data[0]
    first, _, second = run("chat", text="/facts why 1\n/facts why 1 verbose\n").out.rpartition(
        "I live in Bern\n"
    )
    for short in (first, run("facts", "show", "1").out):
        assert "you said" in short
        assert "“I live in Bern" in short
        assert fact["id"] not in short
        assert "rules-1" not in short
    assert fact["id"] in second
    assert run("chat", text="/facts why 1 nonsense\n").code == 2
