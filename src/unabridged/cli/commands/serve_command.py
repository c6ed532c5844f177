"""``unabridged serve``."""

import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unabridged.cli.format import count
from unabridged.cli.options import ANSWERING, Invocation
from unabridged.cli.output import echo, echo_json, echo_lines, flush
from unabridged.cli.paint import paint, width
from unabridged.cli.plain_command import plain_command
from unabridged.cli.terminal_text import pad, wrap
from unabridged.clock import SystemClock
from unabridged.domain.settings import Settings
from unabridged.errors import UnabridgedError
from unabridged.home.api_keys import TOKEN, ApiKeys
from unabridged.installation import install_command

if TYPE_CHECKING:
    from starlette.routing import Route

    from unabridged.server.run_server import Ended
    from unabridged.server.state import Service

_LABEL = 10
"""Width in cells of the first column."""
_KEYS = 6
"""The most keys that are listed at the start."""
_CLIENT = 18
"""Width in cells of the column of clients."""


@dataclass(frozen=True, slots=True)
class Start:
    """A running server.

    Attributes:
        url: Its address.
        provider: The provider: ``ollama``, ``openai``, ``gguf`` or ``quote``; empty for nothing yet.
        note: Which model answers, and how to get a better one; or why none does.
        home: The folder of the memory; empty if nothing is stored.
        keys: Whether every route needs a key.
        access: Who can reach whose memory, in sentences.
        token: The file of the token for memory and MCP, used while there are no keys.
        mcp: Whether MCP is served.
    """

    url: str
    provider: str
    note: str
    home: str
    keys: bool
    access: tuple[str, ...]
    token: str
    mcp: bool


@plain_command(
    "serve",
    "unabridged serve",
    "unabridged serve --ollama http://127.0.0.1:11434 --port 8000",
    "OLLAMA_HOST=http://127.0.0.1:11435 ollama run llama3.2",
    options=("listen", *ANSWERING, "window", "persona", "embedder", "log", "ephemeral", "json"),
)
@click.option(
    "--port", type=click.IntRange(0, 65_535), help="Listen on this port; 0 chooses a free one."
)
def command(invocation: Invocation, *, port: int | None) -> None:
    """Run a server that adds memory to any Ollama or OpenAI client.

    Change the server address of a client to this server's; `unabridged connect` shows how. Ctrl-C stops the server after the answers that are being streamed, within 30 seconds; press it twice to stop at once.
    """
    settings = _placed(invocation.settings(), port)
    from unabridged.server import run_server  # noqa: PLC0415 - heavy, and an extra
    from unabridged.server.auth import refuse_to_listen  # noqa: PLC0415 - as above

    access = ApiKeys(settings.home)
    refuse_to_listen(settings, access, SystemClock())
    taken = run_server.open_socket(settings.listen)
    try:
        service = _service(invocation, settings)
        app, mcp = _app(service)
    except BaseException:
        taken.close()
        raise
    start = _start(service, access, run_server.address_of(taken), mcp=mcp)
    ended = run_server.serve(app, service.watch, taken, lambda: _tell(invocation, start))
    if not invocation.json:
        echo(end_line(ended), "dim")


def _placed(settings: Settings, port: int | None) -> Settings:
    if port is None:
        return settings
    host, _, _ = settings.listen.rpartition(":")
    return replace(settings, listen=f"{host}:{port}")


def _service(invocation: Invocation, settings: Settings) -> "Service":
    from unabridged.config.opentelemetry import telemetry  # noqa: PLC0415 - for this command only
    from unabridged.factory.space_pool import SpacePool  # noqa: PLC0415 - as above
    from unabridged.server.state import Service  # noqa: PLC0415 - heavy, and an extra
    from unabridged.server.trace_spans import Tracing  # noqa: PLC0415 - as above

    pool = SpacePool(settings, agents=invocation.by_agent())
    return Service(settings, pool, Tracing.to(telemetry()))


def _app(service: "Service") -> tuple[Any, bool]:
    from unabridged.server.app import create_app  # noqa: PLC0415 - heavy, and an extra
    from unabridged.server.lazy_route import LaterRoute  # noqa: PLC0415 - as above

    if importlib.util.find_spec("mcp") is None:
        return create_app(service), False
    return create_app(service, [LaterRoute("/mcp", lambda: _mcp(service))]), True


def _mcp(service: "Service") -> "Route":
    from unabridged.mcp.http_transport import mcp_mount  # noqa: PLC0415 - heavy, and an extra
    from unabridged.server.resolve_scope import scope_of  # noqa: PLC0415 - as above

    return mcp_mount(
        service.pool,
        scope_of,
        recorded=service.background.soon,
        failed=lambda error: service.log.failed(error, "/mcp"),
        max_body=service.settings.max_body,
    )


def _start(service: "Service", access: ApiKeys, url: str, *, mcp: bool) -> Start:
    settings = service.settings
    try:
        note = service.upstreams.look()
        provider = service.upstreams.provider
    except UnabridgedError as error:
        provider, note = "", f"{error} {error.hint}".strip()
    return Start(
        url=url,
        provider=provider,
        note=note,
        home="" if settings.store == "memory" else settings.home,
        keys=access.closed,
        access=tuple(access_lines(settings, access)),
        token=str(Path(settings.home) / "config" / TOKEN),
        mcp=mcp,
    )


def _tell(invocation: Invocation, start: Start) -> None:
    if invocation.json:
        echo_json(start, indent=None)
    else:
        echo_lines(start_lines(start))
    flush()


def start_lines(start: Start) -> Iterator[str]:
    """Show the address, the model, the memory, and how to connect."""
    yield paint("Unabridged", "bold") + " listens at " + paint(start.url, "accent")
    yield ""
    yield from _row("Model", start.note, "" if start.provider else "warn")
    yield from _row("Memory", start.home or "nothing is stored (--ephemeral)")
    for number, line in enumerate(start.access):
        yield from _row("" if number else "Access", line)
    yield from _row("Connect", f"{pad('Ollama clients', _CLIENT)}OLLAMA_HOST={start.url}")
    yield from _row("", f"{pad('OpenAI clients', _CLIENT)}OPENAI_BASE_URL={start.url}/v1")
    mcp = f"{start.url}/mcp" if start.mcp else "not installed; to install it:"
    yield from _row("", f"{pad('MCP clients', _CLIENT)}{mcp}")
    if not start.mcp:
        yield from _row("", install_command("mcp"))
    yield from _row("", f"{pad('step by step', _CLIENT)}unabridged connect")
    yield ""
    yield paint("Ctrl-C stops the server after the answers in progress.", "dim")


def access_lines(settings: Settings, access: ApiKeys) -> Iterator[str]:
    """Say who can reach whose memory."""
    if access.closed:
        yield "Every request needs an API key. Create one: unabridged keys create NAME"
        yield from _reaches(access)
        return
    from unabridged.server.local_accounts import Loopback, loopback_of  # noqa: PLC0415 - an extra

    who, reason = loopback_of(settings)
    whose = f"the memory of the user {settings.user}"
    if "user" not in settings.isolation:
        whose = "the memory, which all users share"
    if who is Loopback.ACCOUNT:
        yield f"Programs of your account and root chat without a key, with {whose}. Others need one."
    elif who is Loopback.EVERYONE:
        yield f"Every account on this machine chats without a key, with {whose}: {reason}."
        yield "To require a key: unabridged config set require_key always"
    else:
        yield f"Chat needs an API key, since {reason}: unabridged keys create NAME"
    yield f"Memory and MCP need the token in {Path(settings.home) / 'config' / TOKEN}"


def _reaches(access: ApiKeys) -> Iterator[str]:
    now = SystemClock().now()
    grants = [key.grant for key in access.every() if key.usable(now)]
    for grant in grants[:_KEYS]:
        whose = (
            "any user's memory" if grant.user is None else f"the memory of the user {grant.user}"
        )
        yield f"{grant.name} reaches {whose}."
    if len(grants) > _KEYS:
        yield f"{count(len(grants) - _KEYS, 'more key')}: unabridged keys list"


def _row(label: str, text: str, style: str = "") -> Iterator[str]:
    whole = label in {"", "Connect"} and not text.endswith(".")  # addresses and commands
    lines = [text] if whole else wrap(text, width() - _LABEL)
    for number, line in enumerate(lines):
        head = pad("" if number else label, _LABEL)
        yield paint(head, "dim") + paint(line, style)


def end_line(ended: "Ended") -> str:
    """Summarize the run of the server."""
    said = [f"Stopped after {count(ended.answered, 'request')}."]
    if ended.finished:
        said.append(f"{count(ended.finished, 'answer')} completed first.")
    if ended.broken:
        said.append(f"{count(ended.broken, 'answer')} interrupted and stored as incomplete.")
    return " ".join([*said, "All memory is saved."])
