"""``unabridged mcp``."""

import traceback
from pathlib import Path

from unabridged.cli.options import Invocation
from unabridged.cli.output import echo
from unabridged.cli.plain_command import plain_command
from unabridged.errors import MissingExtraError


@plain_command(
    "mcp",
    "unabridged mcp",
    "unabridged mcp --user ann --home /srv/memory",
    options=("home", "profile", "set", "user", "agent", "debug"),
)
def command(invocation: Invocation) -> None:
    """Serve memory to agents over MCP, on standard input and output.

    A desktop client starts it: give the client the command `unabridged` with the argument `mcp`. It can run at the same time as `unabridged serve` and the chat, on the same home. Over HTTP, `unabridged serve` offers the same tools under /mcp.
    """
    try:
        from unabridged.mcp import stdio_transport  # noqa: PLC0415 - a heavy package, for this command only
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in {"mcp", "anyio", "pydantic"}:
            raise
        raise MissingExtraError("mcp", "mcp") from None
    stdio_transport.serve(invocation.settings(), _tell)


def _tell(error: Exception) -> None:
    place = traceback.extract_tb(error.__traceback__)[-1:]
    where = "".join(f" at {Path(one.filename).name}:{one.lineno}" for one in place)
    echo(f"{type(error).__name__}{where}", err=True)
