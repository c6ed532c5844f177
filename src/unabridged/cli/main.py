"""The command line. A command's module is imported when the command is called, not before.

Exit codes: 0 done; 1 an unexpected error, or ``doctor`` or ``verify`` found a fault; 2 a wrong option,
setting or input; 3 an id or name that was not found; 4 a prompt that does not fit the window; 5 the store;
6 the model server; 7 a foreign file; 130 interrupted; 141 the reader of the output closed it.
"""

import difflib
import importlib
import os
import re
import sys
import traceback
from collections.abc import Mapping, Sequence
from typing import Any

import click
from click.shell_completion import CompletionItem

from unabridged.cli.options import shared_options
from unabridged.cli.output import echo, echo_error
from unabridged.cli.plain_command import CONTEXT, check_name
from unabridged.errors import UnabridgedError

GROUPS: Mapping[str, Mapping[str, str]] = {
    "Talk": {
        "chat": "Chat with a model that remembers.",
        "ask": "Ask one question and print the answer.",
        "tour": "Show in five minutes what Unabridged does, with its own example data.",
    },
    "Look up": {
        "search": "Find exchanges by what was said.",
        "show": "Show an exchange or a whole session, word for word.",
        "sessions": "List the sessions, newest first.",
        "topics": "List what was talked about, with sizes and dates.",
        "why": "Show what a prompt held, and why.",
        "stats": "Show how much is stored, known and condensed.",
    },
    "Know": {
        "facts": "List, add, correct or withdraw facts about you.",
        "requirements": "List, add, change or export stated requirements.",
        "annotations": "Show how messages were classified, and correct it.",
        "condense": "Condense what outgrew its budget; every original stays.",
        "expand": "Show the originals behind a condensation.",
    },
    "Move in and out": {
        "import": "Import conversations from other programs.",
        "export": "Export conversations to files.",
        "migrate": "Import the folder of an older program, or go back to it.",
        "adopt": "Import your changes to a readable JSON file.",
        "share": "Share sessions and facts with another space, or revoke it.",
    },
    "Keep safe": {
        "forget": "Delete exchanges, sessions, facts or spaces for good.",
        "receipts": "List the receipts of what was forgotten.",
        "backup": "Create, list, verify, restore or prune backups.",
        "audit": "List who read, exported, shared, imported and forgot.",
        "verify": "Check that nothing stored was changed by another program.",
        "archive": "Archive sessions: compressed, still searchable.",
        "recover": "Recover everything intact from a damaged file.",
        "key": "Manage the key that seals and encrypts what is stored.",
        "doctor": "Check the installation, the model servers and the store.",
    },
    "Serve": {
        "serve": "Run a server that adds memory to any Ollama or OpenAI client.",
        "connect": "Show how to connect a program to `unabridged serve`.",
        "mcp": "Serve memory to agents over MCP, on standard input and output.",
        "keys": "Manage the API keys of `unabridged serve`.",
    },
    "Set up": {
        "config": "Show or change settings.",
        "models": "List models, download a small one, or re-embed.",
        "profiles": "List the profiles: named sets of settings.",
        "personas": "List the personas: texts that say who answers.",
        "spaces": "List, rename, merge or copy spaces.",
    },
}
"""Every command with its first line of help, in the groups of `unabridged --help`.

Each command is in ``cli/commands``.
"""
COMMANDS: Mapping[str, str] = {
    name: line for group in GROUPS.values() for name, line in group.items()
}

WIDEST = max(map(len, COMMANDS))
"""Characters of the longest name of a command."""
_NO_CHOICE = re.compile(r"'([^']*)' is not one of")
INTERRUPTED = 130
READER_GONE = 141


class CommandLine(click.Group):
    """A group of commands that turns errors into messages and exit codes.

    Attributes:
        program: The name of the program.
    """

    program = "unabridged"

    def main(  # type: ignore[explicit-override]  # typing.override needs Python 3.12
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,  # noqa: ARG002, FBT001, FBT002 - click's own signature
        **extra: Any,
    ) -> Any:
        """Run a command line and exit."""
        words = list(sys.argv[1:] if args is None else args)
        prog_name = self.program
        self._main_shell_completion(extra, prog_name, complete_var)
        try:
            code = self.run(words, prog_name, extra)
            sys.stdout.flush()
        except BrokenPipeError:
            # The reader closed the pipe; the interpreter's own last flush must not complain.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            code = READER_GONE
        sys.exit(code)

    def run(
        self,
        words: Sequence[str],
        prog_name: str = "",
        extra: Mapping[str, Any] | None = None,
    ) -> int:
        """Run a command line and return its exit code."""
        as_json, debug = "--json" in words, "--debug" in words
        try:
            with self.make_context(prog_name or self.program, list(words), **(extra or {})) as ctx:
                self.invoke(ctx)
        except click.exceptions.Exit as end:
            return end.exit_code
        except (KeyboardInterrupt, click.Abort):
            echo(err=True)
            return INTERRUPTED
        except BrokenPipeError:
            raise
        except Exception as error:  # noqa: BLE001 - the outermost frame: every error becomes a message
            if debug:
                echo(traceback.format_exc(), err=True, end=False)
            return _report(error, self.program, as_json=as_json)
        return 0


class Root(CommandLine):
    """The group of all commands; a command is imported when it is called."""

    def list_commands(self, _ctx: click.Context) -> list[str]:  # type: ignore[explicit-override]  # typing.override needs Python 3.12
        """Return the name of every command, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:  # type: ignore[explicit-override]  # typing.override needs Python 3.12
        """Import a command's module and return the command."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"unabridged.cli.commands.{cmd_name}_command")
        command = module.command
        assert isinstance(command, click.Command)  # noqa: S101 - a slip in our own table
        return command

    def resolve_command(  # type: ignore[explicit-override]  # typing.override needs Python 3.12
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command; for an unknown one, name the nearest."""
        check_name(self, ctx, args[0], self.list_commands(ctx))
        return super().resolve_command(ctx, args)

    def shell_complete(  # type: ignore[explicit-override]  # typing.override needs Python 3.12
        self, ctx: click.Context, incomplete: str
    ) -> list[CompletionItem]:
        """Complete the name of a command without importing any."""
        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        near = (name for name in COMMANDS if name.startswith(incomplete))
        return [CompletionItem(name, help=COMMANDS[name]) for name in near]

    def format_options(  # type: ignore[explicit-override]  # typing.override needs Python 3.12
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """List the commands by group, then the options."""
        for title, commands in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(WIDEST), line) for name, line in commands.items()])
        with formatter.section("Options"):
            records = (param.get_help_record(ctx) for param in self.get_params(ctx))
            formatter.write_dl([record for record in records if record])


def _report(error: Exception, program: str, *, as_json: bool) -> int:
    code = getattr(error, "exit_code", 1)
    match error:
        case UnabridgedError():
            shown = error
        case click.ClickException():
            shown = UnabridgedError(error.format_message(), hint=_usage(error))
        case _:
            shown = UnabridgedError(
                f"Unexpected error: {type(error).__name__}: {error}. This is a bug.",
                hint=f"Run it again as `{program} --debug …` and report the traceback.",
            )
    echo_error(shown, as_json=as_json)
    return code if isinstance(code, int) else 1


def _usage(error: click.ClickException) -> str:
    ctx = getattr(error, "ctx", None)
    if ctx is None:
        return ""
    usage = " ".join([ctx.command_path, *ctx.command.collect_usage_pieces(ctx)])
    return f"{_nearest_choice(error)}Usage: {usage}; see `{ctx.command_path} --help`."


def _nearest_choice(error: click.ClickException) -> str:
    kind = getattr(getattr(error, "param", None), "type", None)
    given = _NO_CHOICE.match(error.message)
    if given is None or not isinstance(kind, click.Choice):
        return ""
    near = difflib.get_close_matches(given[1], [str(one) for one in kind.choices], 1)
    return f"Did you mean {near[0]!r}? " if near else ""


@click.group(
    cls=Root,
    context_settings=CONTEXT,
    invoke_without_command=True,
    epilog="Run `unabridged COMMAND --help` for one command, with examples.",
    params=shared_options(
        ("home", "profile", "set", "user", "agent", "model", "upstream", "json", "debug")
    ),
)
@click.version_option(package_name="unabridged", message="%(prog)s %(version)s")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Give any language model a memory: whole, searchable, on this machine.

    Begin with: unabridged chat
    """
    if ctx.invoked_subcommand is None:
        echo(ctx.get_help())


def main(words: Sequence[str] | None = None) -> None:
    """Run the command line of this process, then end the process.

    Args:
        words: The command line without the program's name; None for this process's own.
    """
    # Input is kept byte for byte; output must not fail on characters that cannot be shown.
    wanted = ((sys.stdin, "surrogateescape"), (sys.stdout, "replace"), (sys.stderr, "replace"))
    for stream, errors in wanted:
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=errors)
    cli.main(words)
