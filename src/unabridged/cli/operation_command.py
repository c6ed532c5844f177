"""Makes a command from an operation: its parameters become arguments and options.

The operation is imported when the command runs or shows its help, so that groups list their
commands and shells complete them at once.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from unabridged.cli.open_from_options import look_into, open_space, session_named, words_from
from unabridged.cli.options import Invocation, example, shared_options
from unabridged.cli.output import echo, echo_lines
from unabridged.cli.plain_command import PlainCommand, PlainGroup
from unabridged.errors import InputError

if TYPE_CHECKING:
    from unabridged.operations.call import Call
    from unabridged.operations.operation import Operation

View = Callable[[Any, "Call"], Iterable[str]]
"""Returns the result of an operation as lines for people."""
_FLAGS: Mapping[str, str] = {"pinned": "--pin", "subject": "--about"}
"""Option names that differ from the names of parameters."""
_WORDS = ("text", "category")
"""Parameters that take the remaining words; ``-`` reads standard input."""
_SESSION = "session"
"""A parameter of this name is the shared option of that name; without it, the newest session."""
_PAGES = ("limit", "cursor")


class OperationCommand(PlainCommand):
    """A command that runs one operation on a space.

    Args:
        name: Its name.
        operation: The name of the operation, such as ``facts.add``.
        about: Its help.
        examples: Command lines as examples.
        options: Names of shared options.
        view: Shows the result to people; None to write JSON always.
        fixed: Parameters that the command sets itself.
        empty: What people read if there is nothing to show.
        limit: The default of ``--limit`` for a list; None for all.
        explained: Explanations of arguments by name, for the help of commands that have them.
    """

    def __init__(  # noqa: PLR0913 - the columns of a command
        self,
        name: str,
        operation: str,
        about: str,
        *examples: str,
        options: Sequence[str],
        view: View | None,
        fixed: Mapping[str, Any],
        empty: str = "",
        limit: int | None = None,
        explained: Mapping[str, str],
    ) -> None:
        super().__init__(
            name,
            help=about,
            epilog=example(*examples),
            params=shared_options(options),
            callback=click.pass_context(self._run),
        )
        self._operation = operation
        self._view = view
        self._fixed = fixed
        self._empty = empty
        self._limit = limit
        self._explained = explained
        self._made = False

    @property
    def operation(self) -> "Operation[Any, Any]":
        """The operation of the table."""
        from unabridged.operations import operation_named  # noqa: PLC0415 - slow, and lists need none

        return operation_named(self._operation)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:  # type: ignore[explicit-override]  # typing.override needs Python 3.12
        """Return the parameters, those of the operation first."""
        if not self._made:
            self._made = True
            self.params = [*self._own(), *self.params]
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

    def _own(self) -> Iterable[click.Parameter]:
        from unabridged.cli.operation_params import parameters_of  # noqa: PLC0415 - as above

        operation = self.operation
        hidden = {*self._fixed, _SESSION}
        if operation.is_page and "cursor" in operation.params.__struct_fields__:
            hidden |= {*_PAGES}
            shown: dict[str, Any] = (
                {} if self._limit is None else {"default": self._limit, "show_default": True}
            )
            yield click.Option(
                ["--limit"], type=click.IntRange(1), metavar="N", help="Show at most N.", **shown
            )
        yield from parameters_of(operation.params, hidden=hidden, words=_WORDS, flags=_FLAGS)

    def _run(self, ctx: click.Context, /, **given: Any) -> None:
        from unabridged.cli.local_call import every_item, local_call, perform  # noqa: PLC0415 - as above
        from unabridged.domain.permissions import Right  # noqa: PLC0415 - as above
        from unabridged.operations.operation import Place  # noqa: PLC0415 - as above

        invocation, operation = Invocation(ctx), self.operation
        reads = operation.right is Right.READ
        space = look_into(invocation) if reads else open_space(invocation)
        given |= {name: words_from(given[name]) or None for name in _WORDS if name in given}
        values = {name: value for name, value in given.items() if value not in (None, ())}
        values |= {name: value for name, value in self._fixed.items() if value is not None}
        if operation.method == "PATCH" and not set(values) - {*operation.fields_of(Place.PATH)}:
            hint = f"Name what to change: `{ctx.command_path} --help`."
            raise InputError("Nothing to change.", hint=hint)
        if _SESSION in operation.params.__struct_fields__:
            session = session_named(invocation, space)
            if session is None:
                self._show(invocation, [] if operation.is_page else None, ())
                return
            values[_SESSION] = session.id
        call = local_call(space)
        if operation.is_page:
            result: Any = list(every_item(call, operation, **values))
        else:
            result = perform(call, operation, **values)
        self._show(invocation, result, () if self._view is None else self._view(result, call))

    def _show(self, invocation: Invocation, result: Any, lines: Iterable[str]) -> None:
        if invocation.json or self._view is None:
            invocation.emit(result)
        elif result == [] and self._empty:
            echo(self._empty, "dim")
        else:
            echo_lines(lines)


def from_operation(  # noqa: PLR0913 - the columns of a command
    group: PlainGroup,
    name: str,
    operation: str,
    about: str,
    *examples: str,
    view: View | None = None,
    fixed: Mapping[str, Any] | None = None,
    options: Sequence[str] = (),
    empty: str = "",
    limit: int | None = None,
) -> None:
    """Add a command to a group that runs one operation; the arguments are those of the class."""
    command = OperationCommand(
        name,
        operation,
        about,
        *examples,
        options=(*group.shared, *options),
        view=view,
        fixed=fixed or {},
        empty=empty,
        limit=limit,
        explained=group.explained,
    )
    group.add_command(command)
