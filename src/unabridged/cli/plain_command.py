"""Commands and groups of the command line: shared options, sections of help, and near names."""

import difflib
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import click

from unabridged.cli.enter_audit import entered
from unabridged.cli.options import PLACE, Invocation, SharedOption, example, shared_options
from unabridged.cli.output import echo

Function = Callable[..., Any]
_RANGE = re.compile(r"([\d.]+)<=x<=([\d.,_]+)")
"""A range as click shows it."""
CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class PlainCommand(click.Command):
    """A command whose help lists its own options before the shared ones.

    Args:
        name: Its name.
        run: Takes an ``Invocation`` and the values of the parameters.
        about: Its help.
        examples: Command lines as examples.
        options: Names of shared options.
        own: Other arguments and options.
        operation: The name of an operation whose parameters are arguments and options, too.
        hidden: Parameters of it that people cannot set; those in ``own`` are not repeated.
        group: The group that it belongs to.
        limit: The default of ``--limit`` for a list in pages; None for all.
        audit: The act that is entered in the audit log, for a command that runs no operation.
    """

    def __init__(  # noqa: PLR0913 - the columns of a command
        self,
        name: str,
        run: Function,
        about: str,
        examples: Sequence[str],
        options: Iterable[str],
        *,
        own: Sequence[click.Parameter] = (),
        operation: str = "",
        hidden: Collection[str] = (),
        group: click.Group | None = None,
        limit: int | None = None,
        audit: str = "",
    ) -> None:
        def call(ctx: click.Context, /, **given: Any) -> None:
            invocation = Invocation(ctx)
            with entered(invocation, audit, given):
                run(invocation, **given)

        super().__init__(
            name,
            help=about,
            epilog=example(*examples),
            params=[*own, *shared_options(options)],
            callback=click.pass_context(call),
        )
        self.audit = audit
        self._waits = operation
        self._hidden = {*hidden, *(param.name for param in own)}
        self._limit = limit
        self._explained = group.explained if isinstance(group, PlainGroup) else {}
        if group is not None:
            group.add_command(self)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:  # type: ignore[explicit-override]  # typing.override needs Python 3.12
        """Return the parameters, those of the operation first; it is imported only now."""
        if self._waits:
            from unabridged.cli.operation_params import parameters_of  # noqa: PLC0415 - slow, and lists need none
            from unabridged.operations import operation_named  # noqa: PLC0415 - as above

            operation, self._waits = operation_named(self._waits), ""
            found = parameters_of(operation.params, hidden=self._hidden, limit=self._limit)
            self.params = [*found, *self.params]
        return super().get_params(ctx)

    def format_help_text(  # type: ignore[explicit-override]  # typing.override needs Python 3.12
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Write the help, then the explanations of its arguments."""
        super().format_help_text(ctx, formatter)
        for param in self.get_params(ctx):
            if isinstance(param, click.Argument) and param.name in self._explained:
                formatter.write_paragraph()
                with formatter.indentation():
                    formatter.write_text(self._explained[param.name])

    def format_options(  # type: ignore[explicit-override]  # typing.override needs Python 3.12
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """List the options in two sections."""
        write_options(self, ctx, formatter)


def write_options(
    command: click.Command, ctx: click.Context, formatter: click.HelpFormatter
) -> None:
    """Write the options of a command: its own first, then those that commands share."""
    own: list[tuple[str, str]] = []
    shared: list[tuple[str, str]] = []
    for param in command.get_params(ctx):
        record = None if isinstance(param, click.Argument) else param.get_help_record(ctx)
        if record is not None:
            flags, text = record
            row = (
                flags,
                _RANGE.sub(r"\1 to \2", text.replace("; x>=1]", "]").replace("  [x>=1]", "")),
            )
            (shared if isinstance(param, SharedOption) else own).append(row)
    own.sort(key=lambda record: "--help" in record[0])
    for title, records in (("Options", own), ("Memory and settings", shared)):
        if records:
            with formatter.section(title):
                formatter.write_dl(records)


class PlainGroup(click.Group):
    """A group of commands; without a subcommand it runs its default one, or shows its help.

    Args:
        name: Its name.
        about: Its help; the first line says what it does.
        examples: Command lines as examples.
        options: Names of shared options; its subcommands have them too.
        default: The subcommand that runs when none is named; empty to show the help.
        explained: Explanations of arguments by name, for commands made from operations.
    """

    def __init__(
        self,
        name: str,
        about: str,
        *examples: str,
        options: Sequence[str] = PLACE,
        default: str = "",
        explained: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(
            name,
            help=about,
            epilog=example(*examples),
            params=shared_options(options),
            callback=self._without_subcommand,
            invoke_without_command=True,
        )
        self.shared = tuple(options)
        self.default = default
        self.explained = explained or {}

    def sub(
        self, name: str, *examples: str, options: Sequence[str] | None = None, audit: str = ""
    ) -> Callable[[Function], click.Command]:
        """Add a subcommand with the options of the group, or with others."""
        shared = self.shared if options is None else options
        return plain_command(name, *examples, options=shared, group=self, audit=audit)

    def format_options(  # type: ignore[explicit-override]  # typing.override needs Python 3.12
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """List the subcommands, then the options."""
        rows = []
        for name in self.list_commands(ctx):
            found = self.get_command(ctx, name)
            rows.append((name, (found.help or "").partition("\n")[0] if found else ""))
        with formatter.section("Commands"):
            formatter.write_dl(rows)
        write_options(self, ctx, formatter)

    def list_commands(self, _ctx: click.Context) -> list[str]:  # type: ignore[explicit-override]  # typing.override needs Python 3.12
        """Return the subcommands in the order in which they were added."""
        return list(self.commands)

    def resolve_command(  # type: ignore[explicit-override]  # typing.override needs Python 3.12
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a subcommand; for an unknown one, name the nearest."""
        check_name(self, ctx, args[0], self.list_commands(ctx))
        return super().resolve_command(ctx, args)

    def _without_subcommand(self) -> None:
        ctx = click.get_current_context()
        if ctx.invoked_subcommand is not None:
            return
        found = self.get_command(ctx, self.default) if self.default else None
        if found is None:
            echo(ctx.get_help())
            return
        with found.make_context(self.default, [], parent=ctx) as below:
            found.invoke(below)


def plain_command(
    name: str,
    *examples: str,
    options: Iterable[str] = PLACE,
    about: str = "",
    **columns: Any,
) -> Callable[[Function], click.Command]:
    """Make a command of a function that takes an ``Invocation``; its docstring is the help.

    Args:
        name: Its name.
        examples: Command lines as examples.
        options: Names of shared options, listed after those of the function.
        about: Its help instead of the docstring.
        columns: As those of ``PlainCommand``.
    """

    def made(function: Function) -> click.Command:
        own = list(reversed(getattr(function, "__click_params__", ())))
        told = (about or function.__doc__ or "").strip()
        return PlainCommand(name, function, told, examples, options, own=own, **columns)

    return made


def check_name(group: click.Group, ctx: click.Context, name: str, known: Sequence[str]) -> None:
    """Check the name of a command; name the nearest one in the error.

    Raises:
        UsageError: There is no such command.
    """
    if name in known or name.startswith("-"):
        return
    option = [f"--{name}"] if any(f"--{name}" in p.opts for p in group.get_params(ctx)) else []
    near = option or difflib.get_close_matches(name, known, 1, 0.6) or _below(group, ctx, name)
    hint = f" Did you mean `{ctx.command_path} {near[0]}`?" if near else ""
    raise click.UsageError(f"No such command {name!r}.{hint}", ctx=ctx)


def _below(group: click.Group, ctx: click.Context, name: str) -> list[str]:
    # The name may be that of a subcommand: `restore` is `backup restore`.
    for each in group.list_commands(ctx):
        found = group.get_command(ctx, each)
        if isinstance(found, click.Group) and name in found.list_commands(ctx):
            return [f"{each} {name}"]
    return []
