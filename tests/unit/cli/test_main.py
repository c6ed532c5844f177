import json
import subprocess
import sys

import click
import pytest

from unabridged.cli import main
from unabridged.cli.main import COMMANDS, GROUPS, cli

CTX = click.Context(cli, info_name="unabridged")


def every_command(command, ctx):
    yield ctx
    if isinstance(command, click.Group):
        for name in command.list_commands(ctx):
            found = command.get_command(ctx, name)
            yield from every_command(found, click.Context(found, info_name=name, parent=ctx))


def test_the_list_of_commands_says_what_each_says_itself():
    for name, line in COMMANDS.items():
        command = cli.get_command(CTX, name)
        assert command.name == name
        assert command.help.partition("\n")[0] == line


def test_every_command_has_help_and_an_example():
    for ctx in every_command(cli, CTX):
        command = ctx.command
        assert command.help, ctx.command_path
        if command is not cli:
            assert "Examples:\n" in command.epilog, ctx.command_path
            assert f"unabridged {ctx.info_name}" in command.epilog or ctx.parent.info_name in (
                command.epilog
            )


def test_every_command_that_answers_can_answer_in_json():
    for ctx in every_command(cli, CTX):
        speaks_json_already = ctx.command.name == "mcp"
        if not isinstance(ctx.command, click.Group) and not speaks_json_already:
            params = ctx.command.get_params(ctx)
            assert any(one.name == "json" for one in params), ctx.command_path


def test_help_of_every_command_prints(run):
    for ctx in every_command(cli, CTX):
        words = ctx.command_path.split()[1:]
        ran = run(*words, "--help")
        assert ran.code == 0
        assert ran.out.startswith("Usage: ")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nonsense"], "No such command"),
        (["config", "--nonsense"], "No such option"),
        (["config", "get"], "Missing argument"),
        (["config", "get", "modle"], "no setting 'modle'"),
        (["--upstream", "olama", "config"], "upstream cannot be 'olama'"),
        (["config", "--ollama", "http://a:1", "--openai", "http://b/v1"], "More than one upstream"),
    ],
)
def test_a_wrong_call_is_told_in_words_with_a_hint(run, words, said):
    ran = run(*words)
    assert ran.code == 2
    assert ran.out == ""
    error, hint = ran.err.splitlines()[:2]
    assert error.startswith("error: ")
    assert said in error
    assert hint.startswith("hint: ")
    assert "Traceback" not in ran.err


def test_the_bare_program_shows_its_help_in_groups(run):
    ran = run()
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == run("--help").out
    places = [ran.out.index(f"\n{title}:\n") for title in GROUPS]
    assert places == sorted(places)
    assert list(GROUPS) == [
        "Talk", "Look up", "Know", "Move in and out", "Keep safe", "Serve", "Set up",
    ]  # fmt: skip


def test_every_group_does_something_useful_without_a_subcommand(run):
    for name in COMMANDS:
        if isinstance(cli.get_command(CTX, name), click.Group):
            ran = run(name)
            assert (ran.code, ran.err) == (0, ""), name
            assert ran.out.strip(), name


@pytest.mark.parametrize(
    ("words", "near"),
    [
        (["serach"], "Did you mean `unabridged search`?"),
        (["restore", "x.zip"], "Did you mean `unabridged backup restore`?"),
        (["hand-off", "a/b"], "Did you mean `unabridged share hand-off`?"),
        (["facts", "ad", "x"], "Did you mean `unabridged facts add`?"),
        (["facts", "list", "--limt", "3"], "Did you mean '--limit'?"),
        (["facts", "list", "--state", "curent"], "Did you mean 'current'?"),
        (["facts", "show"], "unabridged facts show [OPTIONS] FACT"),
    ],
)
def test_a_slip_names_what_was_meant(run, words, near):
    ran = run(*words)
    assert ran.code == 2
    assert near in ran.err


def test_help_lists_own_options_before_shared_ones_and_fits_80_columns(run):
    for ctx in every_command(cli, CTX):
        out = run(*ctx.command_path.split()[1:], "--help").out
        assert max(map(len, out.splitlines())) <= 80, ctx.command_path
    out = run("backup", "create", "--help").out
    assert out.index("--keep") < out.index("Memory and settings:") < out.index("--home")


def test_help_and_completion_of_commands_are_quick_to_load():
    code = (
        "import sys; from click.shell_completion import ShellComplete\n"
        "from unabridged.cli.main import cli\n"
        "cli.get_help(__import__('click').Context(cli))\n"
        "names = [c.value for c in ShellComplete(cli, {}, 'unabridged', '_U').get_completions([], 'f')]\n"
        "assert names == ['facts', 'forget'], names\n"
        "slow = {'numpy', 'msgspec', 'apsw', 'unabridged.config', 'unabridged.operations'}\n"
        "assert not slow & set(sys.modules), slow & set(sys.modules)\n"
        "facts = cli.get_command(None, 'facts')\n"
        "facts.get_help(__import__('click').Context(facts))\n"
        "slow = {'numpy', 'apsw', 'unabridged.operations'}\n"
        "assert not slow & set(sys.modules), slow & set(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_errors_are_json_where_json_is_asked_for(run):
    ran = run("config", "get", "modell", "--json")
    told = json.loads(ran.err)
    assert told["kind"] == "SettingError"
    assert "'model'" in told["hint"]
    assert json.loads(run("nonsense", "--json").err)["kind"] == "UnabridgedError"


def test_a_fault_of_the_program_shows_its_traceback_only_when_asked(run, monkeypatch):
    def broken(**_):
        raise ZeroDivisionError("secret\x1b[2J")

    monkeypatch.setattr("unabridged.config.read", broken)
    ran = run("config")
    assert ran.code == 1
    assert "ZeroDivisionError" in ran.err
    assert "\x1b" not in ran.err
    assert "Traceback" not in ran.err
    assert "Traceback" in run("--debug", "config").err


def test_ctrl_c_ends_with_its_own_code(run, monkeypatch):
    def interrupted(**_):
        raise KeyboardInterrupt

    monkeypatch.setattr("unabridged.config.read", interrupted)
    ran = run("config")
    assert ran.code == main.INTERRUPTED
    assert "Traceback" not in ran.err


def test_options_before_and_behind_the_command(run):
    assert run("--user", "a", "config", "get", "user").out == "a\n"
    assert run("--user", "a", "config", "get", "user", "--user", "b").out == "b\n"


def test_naming_a_server_chooses_it(run, monkeypatch):
    monkeypatch.delenv("UNABRIDGED_UPSTREAM")
    assert run("config", "get", "upstream").out == "auto\n"
    assert run("config", "get", "upstream", "--ollama", "http://h:1").out == "ollama\n"
    assert run("config", "get", "upstream", "--gguf", "x.gguf").out == "gguf\n"


def test_config_lists_sets_and_unsets(run, tmp_path):
    path = run("config", "path").out.strip()
    assert path == str(tmp_path / "home" / "config" / "unabridged.toml")
    assert not (tmp_path / "home").exists()
    assert run("config", "set", "window", "8192").code == 0
    listed = run("config", "--json").data
    assert listed["window"] == {"value": 8192, "source": path}
    assert listed["upstream"]["source"] == "$UNABRIDGED_UPSTREAM"
    assert "8192" in run("config").out
    ran = run("config", "set", "upstream", "ollama")
    assert "$UNABRIDGED_UPSTREAM overrides it" in ran.out
    assert run("config", "unset", "window").code == 0
    assert run("config", "get", "window").out == "auto\n"
    assert run("config", "set", "window", "wide").code == 2


def test_a_secret_is_never_printed(run, monkeypatch):
    monkeypatch.setenv("UNABRIDGED_OPENAI_KEY", "sk-secret")
    for words in (["config"], ["config", "--json"], ["config", "get", "openai_key"]):
        ran = run(*words)
        assert ran.code == 0
        assert "sk-secret" not in ran.out + ran.err


def test_a_broken_settings_file_is_told(run, tmp_path):
    run("config", "set", "user", "a")
    (tmp_path / "home" / "config" / "unabridged.toml").write_text("user = \n", encoding="utf-8")
    ran = run("config")
    assert ran.code == 2
    assert "line 1" in ran.err
