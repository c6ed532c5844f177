"""The command line. A command's module is imported when the command is called, not before.

Exit codes: 0 done; 1 something unexpected, or ``doctor`` or ``verify`` found a fault; 2 a wrong option, setting or
input; 3 an id or name that names nothing; 4 what must be sent does not fit the window; 5 the store;
6 the model server; 7 a foreign file; 130 interrupted; 141 the reader of the output went away.
"""

import importlib
import os
import sys
import traceback
from collections.abc import Mapping, Sequence
from typing import Any

import click

from unabridged.cli.options import common
from unabridged.cli.output import echo, echo_error
from unabridged.errors import UnabridgedError

COMMANDS: Mapping[str, str] = {
    "chat": "Talk with a model that remembers.",
    "tour": "See in five minutes what it does, on conversations of its own.",
    "ask": "Ask one thing and print the answer.",
    "serve": "Put memory in front of a model server, for every program that speaks to one.",
    "connect": "Print what to write where, so that a program talks to `unabridged serve`.",
    "search": "Find exchanges by what was said.",
    "show": "Show an exchange, or a whole session, as it was said.",
    "topics": "Say what was talked about, in topics with sizes and dates.",
    "why": "Account for every token of a prompt.",
    "sessions": "List the sessions, the newest first.",
    "spaces": "List, rename or merge spaces: whose memory is kept apart.",
    "share": "Carry chosen sessions and facts into another space, recorded on both sides.",
    "handoff": "Let another agent or model go on with a session.",
    "shares": "List what was shared in both directions, or revoke a share.",
    "stats": "Say what the memory holds, knows and condensed.",
    "condense": "Condense what outgrew its budget; every original stays.",
    "expand": "Open a condensation: the exact originals.",
    "semantic": "Show what kind of content messages are, and correct it.",
    "facts": "List, correct or withdraw what was learned of you.",
    "requirements": "List, change or export the requirements that were stated.",
    "forget": "Forget for good: an exchange, a session, a fact, a space, a user, or a search.",
    "receipts": "List the receipts for what was forgotten, or show one of them.",
    "models": "List the models that can answer, or fetch a small one.",
    "profiles": "List the profiles: settings that go together, under one name.",
    "personas": "List the personas: who answers, as a text that begins every prompt.",
    "config": "Show every setting and where it came from, or change one.",
    "key": "Make the key that digests and encryption use, change it, or show its mark.",
    "keys": "Make, list or revoke the API keys that `unabridged serve` asks for.",
    "encrypt": "Encrypt every space of the home, or make it readable again.",
    "import": "Take over conversations from other programs.",
    "export": "Write the conversations out.",
    "migrate": "Take over an old program's folder, or go back to it.",
    "copy": "Copy spaces from one store to another, and compare them.",
    "adopt": "Take a readable JSON file that you edited by hand into memory.",
    "reembed": "Embed everything anew by the embedder of the settings, then search with it.",
    "backup": "Back up a space or the whole home, while others write; list or prove backups.",
    "restore": "Give back what a backup holds, never over what is there.",
    "verify": "Prove that nothing that is stored was changed past the program.",
    "archive": "Archive sessions: compressed, still searched, never deleted.",
    "recover": "Take everything that is whole out of a damaged file, and say what is missing.",
    "doctor": "Check what is installed, what answers, and whether the store is sound.",
    "mcp": "Offer memory to agents over MCP, on standard input and output.",
}
"""Every command with its first line of help; each lives in ``cli/commands``."""

INTERRUPTED = 130
READER_GONE = 141


class CommandLine(click.Group):
    """A group of commands that turns errors into messages and exit codes.

    Attributes:
        program: What a person types before the commands.
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
            # The reader has what it wanted; the interpreter's own last flush must not complain.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            code = READER_GONE
        sys.exit(code)

    def run(
        self,
        words: Sequence[str],
        prog_name: str = "",
        extra: Mapping[str, Any] | None = None,
    ) -> int:
        """Run a command line and give its exit code; the reader going away is raised."""
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
        except Exception as error:  # noqa: BLE001 - the outermost edge: every error becomes words
            if debug:
                traceback.print_exc()
            return _told(error, self.program, as_json=as_json)
        return 0


class Root(CommandLine):
    """The group of all commands; a command is imported when it is called."""

    def list_commands(self, _ctx: click.Context) -> list[str]:  # type: ignore[explicit-override]  # typing.override needs Python 3.12
        """Name every command, in the order of use."""
        return list(COMMANDS)

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:  # type: ignore[explicit-override]  # typing.override needs Python 3.12
        """Import a command's module and give the command."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"unabridged.cli.commands.{cmd_name}_command")
        command = module.command
        assert isinstance(command, click.Command)  # noqa: S101 - a slip in our own table
        return command

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:  # type: ignore[explicit-override]  # typing.override needs Python 3.12
        """List the commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _told(error: Exception, program: str, *, as_json: bool) -> int:
    code = getattr(error, "exit_code", 1)
    match error:
        case UnabridgedError():
            told = error
        case click.ClickException():
            told = UnabridgedError(error.format_message(), hint=_usage(error))
        case _:
            said = f"{type(error).__name__}: {error}"
            told = UnabridgedError(
                f"Something unexpected happened ({said}). This is a fault of the program.",
                hint=f"Run it again with --debug behind `{program}`, and report what it shows.",
            )
    echo_error(told, as_json=as_json)
    return code if isinstance(code, int) else 1


def _usage(error: click.ClickException) -> str:
    ctx = getattr(error, "ctx", None)
    return f"`{ctx.command_path} --help` shows what it takes." if ctx else ""


@click.group(
    cls=Root,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="`unabridged COMMAND --help` tells about one command, with an example.",
)
@common("home", "profile", "set", "user", "agent", "model", "upstream", "json", "debug")
@click.version_option(package_name="unabridged", message="%(prog)s %(version)s")
def cli() -> None:
    """Conversation memory that never cuts you off mid-sentence.

    Everything that was said is kept, whole, in one folder on this machine, and every prompt
    accounts for its tokens. Begin with: unabridged chat
    """


def main(words: Sequence[str] | None = None) -> None:
    """Run the command line of this process and end it.

    Args:
        words: The command line without the program's name; None for this process's own.
    """
    # What comes in is kept byte for byte; what goes out must not fail on what cannot be shown.
    wanted = ((sys.stdin, "surrogateescape"), (sys.stdout, "replace"), (sys.stderr, "replace"))
    for stream, errors in wanted:
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=errors)
    cli.main(words)
