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
from unabridged.cli.enter_audit import enter
from unabridged.cli.options import Invocation
from unabridged.cli.output import echo, echo_lines
from unabridged.cli.paint import Column, paint, table, width
from unabridged.cli.plain_command import plain_command
from unabridged.cli.terminal_text import wrap
from unabridged.clock import SystemClock
from unabridged.domain.exchange import QUOTING
from unabridged.domain.permissions import Grant, Right
from unabridged.domain.settings import Settings
from unabridged.errors import UnabridgedError
from unabridged.home.api_keys import TOKEN, ApiKeys

_SOME = "llama3.2"
"""A model for the examples if none answers now."""
_SPOKEN = {"ollama": "Ollama", "openai": "OpenAI", "anthropic": "Anthropic", "mcp": "MCP"}


@plain_command(
    "connect",
    "unabridged connect",
    "unabridged connect open-webui",
    "unabridged connect claude-desktop --only > claude_desktop_config.json",
    options=("listen", "home", "profile", "set", "model", "json"),
)
@click.argument("name", required=False)
@click.option("--url", metavar="URL", help="The address of the server, if it is another machine.")
@click.option("--only", is_flag=True, help="Print only the settings of the program.")
@click.option(
    "--show-token",
    is_flag=True,
    help="Print the token for memory and MCP, not the path of its file.",
)
def command(
    invocation: Invocation, name: str | None, url: str | None, *, only: bool, show_token: bool
) -> None:
    """Show how to connect a program to `unabridged serve`.

    Without a name, list the programs. For a program that names its users, an API key is made and printed once; from then on every request needs a key. The token is printed only with --show-token.
    """
    if name is None:
        _list(invocation)
        return
    client, settings = client_of(name), invocation.settings()
    access = ApiKeys(settings.home)
    made = _made_key(client, access) if client.names_users and not url else ""
    server = ServerAddress(
        url=(url or address_from(settings.listen)).rstrip("/"),
        home=settings.home,
        model=settings.model or _chosen(settings),
        key=made or (A_KEY if access.closed else NO_KEY),
        token=access.token() if show_token else A_TOKEN,
        token_file=str(Path(settings.home) / "config" / TOKEN),
        program=program(),
    )
    text = filled(client, server).strip("\n")
    if invocation.json:
        data = {"name": client.name, "where": client.where, "form": client.form, "text": text}
        invocation.emit({**data, "note": noted(client, server), "checked": client.checked})
    elif only:
        echo(text)
        if made:
            echo(noted(client, server), err=True)
    else:
        _show(client, server, text, closed=access.closed)
    if made:
        enter(invocation, "keys.create", None, done=True)
        echo(
            f"Created the API key {client.name}, which may name users. It is shown only now.",
            err=True,
        )
        echo("From now on every request to the server needs a key.", "warn", err=True)


def _made_key(client: ClientConfig, access: ApiKeys) -> str:
    now = SystemClock().now()
    if any(key.grant.name == client.name and key.revoked is None for key in access.every()):
        return ""  # a key is shown only once
    return access.create(Grant(client.name, rights=frozenset({Right.CHAT})), now)[1]


def _chosen(settings: Settings) -> str:
    from unabridged.factory.upstreams import Upstreams  # noqa: PLC0415 - not for the list

    upstreams = Upstreams(settings, SystemClock())
    try:
        model = upstreams.model()
    except UnabridgedError:
        return _SOME
    finally:
        upstreams.close()
    return model.model if model else QUOTING


def address_from(listen: str) -> str:
    """Return the address for clients on this machine from the setting `listen`."""
    host, _, port = listen.rpartition(":")
    host = {"0.0.0.0": "127.0.0.1", "[::]": "[::1]"}.get(host, host)  # noqa: S104 - read, not bound
    return f"http://{host}:{port}"


def _show(client: ClientConfig, server: ServerAddress, text: str, *, closed: bool) -> None:
    echo(client.title, "bold")
    echo_lines(wrap(f"Add to {client.where}:", width()))
    echo()
    echo_lines(f"  {line}" if line else "" for line in text.splitlines())
    echo()
    notes = [noted(client, server), _of_secrets(text, server, closed=closed)]
    for note in filter(None, notes):
        echo_lines(wrap(note, width()))
    echo_lines(paint(line, "dim") for line in wrap(f"Checked: {client.checked}", width()))


def _of_secrets(text: str, server: ServerAddress, *, closed: bool) -> str:
    if A_KEY in text:
        return f"Replace {A_KEY} by an API key. Create one: unabridged keys create NAME"
    if A_TOKEN in text:
        return f"Replace {A_TOKEN} by the token in {server.token_file}; --show-token prints it."
    if closed or NO_KEY not in text or "mcp" in text:
        return ""
    return (
        f"The key {NO_KEY!r} is not checked: this machine needs none while there are no API keys."
    )


def _list(invocation: Invocation) -> None:
    known = list(clients().values())
    data = [{"name": c.name, "title": c.title, "speaks": c.speaks} for c in known]
    columns = [Column("name", style="accent"), Column("program", flexible=True), Column("speaks")]
    rows = [(one.name, one.title, _SPOKEN[one.speaks]) for one in known]
    hint = paint("Show how: unabridged connect NAME", "dim")
    invocation.answer(data, *table(columns, rows, width()), "", hint)
