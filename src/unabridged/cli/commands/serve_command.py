"""``unabridged serve``."""

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unabridged.cli.options import Invocation, common, example, invoked
from unabridged.cli.output import echo, echo_json, echo_lines
from unabridged.cli.served import Start, end_line, start_lines
from unabridged.clock import SystemClock
from unabridged.domain.settings import Settings
from unabridged.errors import UnabridgedError
from unabridged.wiring.access import TOKEN, Access

if TYPE_CHECKING:
    from starlette.routing import Route

    from unabridged.server.service import Service


@click.command(
    "serve",
    epilog=example(
        "unabridged serve",
        "unabridged serve --ollama http://127.0.0.1:11434 --port 8000",
        "OLLAMA_HOST=http://127.0.0.1:11435 ollama run llama3.2",
    ),
)
@common("listen")
@click.option("--port", type=click.IntRange(0, 65_535), help="Another port; 0 takes a free one.")
@common(
    "home", "profile", "set", "user", "agent", "model", "upstream", "ollama_url", "openai_url", "gguf", "window",
    "persona", "embedder", "log", "ephemeral", "json",
)  # fmt: skip
@invoked
def command(invocation: Invocation, *, port: int | None) -> None:
    """Put memory in front of a model server, for every program that speaks to one.

    Programs made for Ollama or OpenAI remember when their address is changed to this server's; `unabridged connect` prints what to write where. Ctrl-C ends it: answers that are being streamed are finished first, for at most 30 seconds; press it twice not to wait.
    """
    settings = _placed(invocation.settings(), port)
    from unabridged.server import serving  # noqa: PLC0415 - heavy, and an extra
    from unabridged.server.guard import refuse_to_listen  # noqa: PLC0415 - as above

    access = Access(settings.home)
    refuse_to_listen(settings, access, SystemClock())
    taken = serving.open_socket(settings.listen)
    try:
        service = _service(invocation, settings)
        app, mcp = _app(service)
    except BaseException:
        taken.close()
        raise
    start = _start(service, access, serving.address_of(taken), mcp=mcp)
    ended = serving.serve(app, service.watch, taken, lambda: _tell(invocation, start))
    if not invocation.json:
        echo(end_line(ended), "dim")


def _placed(settings: Settings, port: int | None) -> Settings:
    """The settings with the port that was asked for."""
    if port is None:
        return settings
    host, _, _ = settings.listen.rpartition(":")
    return replace(settings, listen=f"{host}:{port}")


def _service(invocation: Invocation, settings: Settings) -> "Service":
    from unabridged.config.telemetry import telemetry  # noqa: PLC0415 - for this command only
    from unabridged.server.service import Service  # noqa: PLC0415 - heavy, and an extra
    from unabridged.server.tracing import Tracing  # noqa: PLC0415 - as above
    from unabridged.wiring.lanes import SpacePool  # noqa: PLC0415 - as above

    pool = SpacePool(settings, agents=invocation.by_agent())
    return Service(settings, pool, Tracing.to(telemetry()))


def _app(service: "Service") -> tuple[Any, bool]:
    """Put the application together; whether MCP is in it, which is an extra of its own."""
    from unabridged.server.app import create_app  # noqa: PLC0415 - heavy, and an extra
    from unabridged.server.later import LaterRoute  # noqa: PLC0415 - as above

    if importlib.util.find_spec("mcp") is None:
        return create_app(service), False
    return create_app(service, [LaterRoute("/mcp", lambda: _mcp(service))]), True


def _mcp(service: "Service") -> "Route":
    from unabridged.mcp.http import mcp_mount  # noqa: PLC0415 - heavy, and an extra
    from unabridged.server.whose import scope_of  # noqa: PLC0415 - as above

    return mcp_mount(
        service.pool,
        scope_of,
        recorded=service.background.soon,
        failed=lambda error: service.log.failed(error, "/mcp"),
        max_body=service.settings.max_body,
    )


def _start(service: "Service", access: Access, url: str, *, mcp: bool) -> Start:
    """Look at a service that is about to answer; the upstream may keep it waiting a moment."""
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
        token=str(Path(settings.home) / "config" / TOKEN),
        mcp=mcp,
    )


def _tell(invocation: Invocation, start: Start) -> None:
    """Say that it listens: one line of JSON for programs, a block for people."""
    if invocation.json:
        echo_json(start, indent=None)
    else:
        echo_lines(start_lines(start))
    sys.stdout.flush()
