"""Commands that are made from operations: arguments, options, limits, lists and errors."""

from contextlib import closing

import click
import pytest

from unabridged.cli.local_call import every_item, local_call, perform
from unabridged.cli.main import cli
from unabridged.config import load
from unabridged.errors import InputError
from unabridged.factory.open_memory import open_space
from unabridged.operations import TABLE

BY_NAME = {operation.name: operation for operation in TABLE}


def params_of(*words):
    command, ctx = cli, click.Context(cli, info_name="unabridged")
    for word in words:
        command = command.get_command(ctx, word)
        ctx = click.Context(command, info_name=word, parent=ctx)
    return {param.name: param for param in command.get_params(ctx)}


def test_what_must_be_given_is_an_argument_and_the_rest_options():
    params = params_of("requirements", "add")
    assert isinstance(params["text"], click.Argument)
    assert params["text"].required
    assert params["priority"].type.choices == ("must", "should", "could", "wont")
    assert (params["satisfaction"].type.min, params["satisfaction"].type.max) == (1, 5)
    assert params["conflicts"].multiple
    assert "test that it is met" in params["fit_criterion"].help
    assert "home" in params


def test_parameters_that_a_command_sets_itself_are_not_offered():
    assert {"text", "value", "pinned"} & set(params_of("facts", "pin")) == set()
    assert "pinned" not in params_of("facts", "edit")


def test_limits_of_the_operation_hold_and_an_empty_change_is_refused(run):
    run("facts", "add", "I like tea.")
    refused = run("facts", "edit", "1")
    assert (refused.code, refused.err.splitlines()[0]) == (2, "error: Nothing to change.")
    too_long = run("facts", "add", "x", "--attribute", "a" * 201)
    assert too_long.code == 2
    assert "attribute" in too_long.err
    assert run("requirements", "add", "It must be.", "--satisfaction", "6").code == 2
    wrong = run("requirements", "add", "It must be.", "--conflicts", "nonsense")
    assert wrong.code == 2
    assert "conflicts" in wrong.err


def test_a_list_is_whole_whatever_a_page_holds_or_as_long_as_asked_for(run, tmp_path):
    with closing(open_space(load(home=tmp_path / "home", upstream="quote"))) as space:
        for number in range(205):
            space.facts.add(f"Fact number {number}.")
        call = local_call(space)
        assert len(list(every_item(call, BY_NAME["facts.list"]))) == 205
        assert len(list(every_item(call, BY_NAME["facts.list"], limit=7))) == 7
    assert len(run("facts", "--json").data) == 205
    assert len(run("facts", "list", "--limit", "203", "--json").data) == 203


def test_the_chat_may_run_an_operation_on_its_space(tmp_path):
    with closing(open_space(load(home=tmp_path, upstream="quote"))) as space:
        call = local_call(space)
        fact = perform(call, BY_NAME["facts.add"], text="I like tea.", pinned=True)
        assert perform(call, BY_NAME["facts.get"], fact="1") == fact
        with pytest.raises(InputError, match="text"):
            perform(call, BY_NAME["facts.add"])
        begun = perform(call, BY_NAME["sessions.add"], title="Tea")
        assert space.sessions.get(begun.id).title == "Tea"


def test_annotations_are_listed_for_one_session(run):
    assert "no exchange yet" in run("annotations").out
    run("ask", "I like tea.")
    run("ask", "I moved to Bern.", "--new")
    (first,) = run("annotations", "--json").data
    (second,) = run("annotations", "list", "--session", "2", "--json").data
    assert first["exchange"] != second["exchange"]
    changed = run("annotations", "set", first["exchange"], "small", "talk")
    assert "small talk" in changed.out
    assert run("annotations", "list", "--session", "9").code == 3
