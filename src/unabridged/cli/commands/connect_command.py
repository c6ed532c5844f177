"""``unabridged connect``."""

from pathlib import Path

import click

from unabridged.cli.client_configs import (
    A_KEY,
    A_TOKEN,
    NO_KEY,
    ClientConfig,
    ServerAddress,
    client_of,
    clients,
    filled,
    noted,
    program,
)
from unabridged.cli.options import Invocation, common, example, invoked
from unabridged.cli.output import echo, echo_lines
from unabridged.cli.paint import Column, paint, table, width
from unabridged.cli.terminal_text import wrap
from unabridged.clock import SystemClock
from unabridged.domain.settings import Settings
from unabridged.errors import UnabridgedError
from unabridged.home.api_keys import TOKEN, ApiKeys

_SOME = "llama3.2"
"""A model for the examples, where none answers now."""
_SPOKEN = {"ollama": "Ollama", "openai": "OpenAI", "mcp": "MCP"}


@click.command(
    "connect",
    epilog=example(
        "unabridged connect",
        "unabridged connect open-webui",
        "unabridged connect claude-desktop --only > claude_desktop_config.json",
    ),
)
@click.argument("name", required=False)
@click.option("--url", metavar="URL", help="The server's address, where it is not this machine's.")
@click.option("--only", is_flag=True, help="Print the settings and nothing else.")
@click.option(
    "--show-token", is_flag=True, help="Print the token for memory and MCP, not its place."
)
@common("listen", "home", "profile", "set", "model", "json")
@invoked
def command(
    invocation: Invocation, name: str | None, url: str | None, *, only: bool, show_token: bool
) -> None:
    """Print what to write where, so that a program talks to `unabridged serve`.

    Without a name it lists the programs. No secret is printed unless it is asked for.
    """
    if name is None:
        _list(invocation)
        return
    client, settings = client_of(name), invocation.settings()
    access = ApiKeys(settings.home)
    server = ServerAddress(
        url=(url or address_from(settings.listen)).rstrip("/"),
        home=settings.home,
        model=settings.model or _chosen(settings),
        key=A_KEY if access.closed else NO_KEY,
        token=access.token() if show_token else A_TOKEN,
        token_file=str(Path(settings.home) / "config" / TOKEN),
        program=program(),
    )
    text = filled(client, server).strip("\n")
    if invocation.json:
        data = {"name": client.name, "where": client.where, "form": client.form, "text": text}
        invocation.emit({**data, "note": noted(client, server), "checked": client.checked})
    elif only:
        click.echo(text)
    else:
        _show(client, server, text, closed=access.closed)


def _chosen(settings: Settings) -> str:
    from unabridged.factory.upstreams import Upstreams  # noqa: PLC0415 - not for the list

    upstreams = Upstreams(settings, SystemClock())
    try:
        model = upstreams.model()
    except UnabridgedError:
        return _SOME
    finally:
        upstreams.close()
    return model.model if model else "quote"


def address_from(listen: str) -> str:
    """Give the address of a server on this machine from where it listens."""
    host, _, port = listen.rpartition(":")
    host = {"0.0.0.0": "127.0.0.1", "[::]": "[::1]"}.get(host, host)  # noqa: S104 - read, not bound
    return f"http://{host}:{port}"


def _show(client: ClientConfig, server: ServerAddress, text: str, *, closed: bool) -> None:
    echo(client.title, "bold")
    echo_lines(wrap(f"Write into {client.where}:", width()))
    echo()
    echo_lines(f"  {line}" if line else "" for line in text.splitlines())
    echo()
    notes = [noted(client, server), _of_secrets(text, server, closed=closed)]
    for note in filter(None, notes):
        echo_lines(wrap(note, width()))
    echo_lines(paint(line, "dim") for line in wrap(f"Checked: {client.checked}", width()))


def _of_secrets(text: str, server: ServerAddress, *, closed: bool) -> str:
    if A_KEY in text:
        return f"{A_KEY} is an API key; `unabridged keys create NAME` makes one and shows it once."
    if A_TOKEN in text:
        return f"{A_TOKEN} stands for what is in {server.token_file}; --show-token prints it."
    if closed or NO_KEY not in text or "mcp" in text:
        return ""
    return f"The key {NO_KEY!r} is not looked at: this machine needs none while there are no keys."


def _list(invocation: Invocation) -> None:
    known = list(clients().values())
    data = [{"name": c.name, "title": c.title, "speaks": c.speaks} for c in known]
    columns = [Column("name", style="accent"), Column("program", flexible=True), Column("speaks")]
    rows = [(one.name, one.title, _SPOKEN[one.speaks]) for one in known]
    hint = paint("unabridged connect NAME prints what to write where.", "dim")
    invocation.answer(data, *table(columns, rows, width()), "", hint)
