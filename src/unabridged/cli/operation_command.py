"""Makes a command from an operation: its parameters become arguments and options.

The operation is imported when the command runs or shows its help, so that groups list their
commands and shells complete them at once.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from unabridged.cli.open_from_options import open_space, words_from
from unabridged.cli.options import MEMORY, Invocation
from unabridged.cli.output import echo, echo_lines
from unabridged.cli.plain_command import PlainCommand, PlainGroup
from unabridged.errors import InputError

if TYPE_CHECKING:
    from unabridged.operations.call import Call

View = Callable[[Any, "Call"], Iterable[str]]
"""Returns the result of an operation as lines for people."""
_SESSION = "session"
"""A parameter of this name is the shared option of that name; without it, the newest session."""


def from_operation(  # noqa: PLR0913 - the columns of a command
    group: PlainGroup | None,
    name: str,
    operation: str,
    about: str,
    *examples: str,
    view: View | None = None,
    fixed: Mapping[str, Any] | None = None,
    options: Sequence[str] = (),
    empty: str = "",
    limit: int | None = None,
) -> PlainCommand:
    """Make a command that runs one operation on a space.

    Args:
        group: The group that it belongs to; its shared options are those of the command, too.
        name: Its name.
        operation: The name of the operation, such as ``facts.add``.
        about: Its help.
        examples: Command lines as examples.
        view: Shows the result to people; None to write JSON always.
        fixed: Parameters that the command sets itself.
        options: Names of further shared options.
        empty: What people read if there is nothing to show.
        limit: The default of ``--limit`` for a list; None for all.
    """
    sets = fixed or {}

    def run(invocation: Invocation, **given: Any) -> None:
        result, call = performed(invocation, operation, **given, **sets)
        if invocation.json or view is None:
            invocation.emit(result)
        elif empty and result in (None, []):
            echo(empty, "dim")
        else:
            echo_lines(view(result, call))

    return PlainCommand(
        name,
        run,
        about,
        examples,
        (*(group.shared if group else MEMORY), *options),
        operation=operation,
        hidden={*sets, _SESSION},
        group=group,
        limit=limit,
    )


def call_of(invocation: Invocation, operation: str) -> "Call":
    """Open the space of the options for an operation; create one only for what writes."""
    from unabridged.cli.local_call import local_call  # noqa: PLC0415 - slow, and help needs none of it
    from unabridged.operations import operation_named  # noqa: PLC0415 - as above
    from unabridged.operations.operation import Effect  # noqa: PLC0415 - as above

    wanted = operation_named(operation)
    space = open_space(invocation, create=wanted.effect is Effect.WRITES)
    return local_call(space, invocation.by_agent() if wanted.tag == "shares" else None)


def performed(
    invocation: Invocation, operation: str, *, call: "Call | None" = None, **given: Any
) -> "tuple[Any, Call]":
    """Run an operation on the space of a call; a list is returned whole.

    Args:
        invocation: The call.
        operation: The name of the operation.
        call: The call of an earlier operation, to use its space; None to open that of the options.
        given: Values of its parameters as click read them. A session is named as people name it.

    Returns:
        The result, and the call; no result if there is no session yet and it needs one.

    Raises:
        InputError: A value is not valid, or nothing is to be changed.
        UnabridgedError: The operation failed.
    """
    from unabridged.cli.local_call import perform_named  # noqa: PLC0415 - slow, and help needs none of it
    from unabridged.cli.operation_params import WORDS  # noqa: PLC0415 - as above
    from unabridged.operations import operation_named  # noqa: PLC0415 - as above
    from unabridged.operations.operation import Place  # noqa: PLC0415 - as above

    wanted = operation_named(operation)
    call = call or call_of(invocation, operation)
    space = call.space
    values = {
        name: words_from(value) if isinstance(value, tuple) and name in WORDS else value
        for name, value in given.items()
        if value not in (None, ())
    }
    if wanted.method == "PATCH" and not set(values) - {*wanted.fields_of(Place.PATH)}:
        hint = f"Name what to change: `{invocation.ctx.command_path} --help`."
        raise InputError("Nothing to change.", hint=hint)
    if _SESSION in wanted.params.__struct_fields__:
        if named := values.get(_SESSION) or invocation.given(_SESSION):
            values[_SESSION] = space.sessions.find(str(named)).id
        elif wanted.needs(_SESSION):
            newest = space.sessions.newest()
            if newest is None:
                return ([] if wanted.is_page else None), call
            values[_SESSION] = newest.id
    return perform_named(call, operation, **values), call
