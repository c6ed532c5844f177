"""Health: whether the server is alive and ready, and its counters.

The paths are the usual ones of container platforms: ``/healthz`` (restart the server if it does not
answer) and ``/readyz`` (send no requests while it returns 503). Neither reveals anything about
users.
"""

import asyncio
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from unabridged import config
from unabridged.disk.atomic_write import draft_of, remove, write_new
from unabridged.domain.short_repr import counted
from unabridged.errors import UnabridgedError
from unabridged.server.metrics import FORMAT
from unabridged.server.state import Service, service_of

FRESH = timedelta(seconds=5)
"""Seconds that a check stays valid, so that frequent requests do not keep the disk busy."""


@dataclass(frozen=True, slots=True)
class Readiness:
    """What was checked, with its fault (empty if none), what a person should look at, and when."""

    checks: dict[str, str]
    warnings: dict[str, str]
    at: datetime

    @property
    def ready(self) -> bool:
        """Whether every check passed."""
        return not any(self.checks.values())


def look(service: Service) -> Readiness:
    """Check that the home is writable and the upstream is known; may wait for the network."""
    checks = {"home": _home(service), "upstream": _upstream(service)}
    return Readiness(checks, _warnings(service), service.clock.now())


def _warnings(service: Service) -> dict[str, str]:
    # Requests can be answered all the same, so that the server stays ready.
    found = {}
    if service.pool.audit.trouble:
        found["audit"] = "The audit log cannot be written."
    if damaged := service.backups.damaged:
        found["backups"] = f"{counted(damaged, 'backup')} cannot be read: run unabridged doctor."
    return found


def _home(service: Service) -> str:
    if service.settings.store == "memory":
        return ""
    try:
        draft = draft_of(Path(config.folder(service.settings.home, "cache")) / "ready")
        try:
            write_new(draft, b"ready")
        finally:
            remove(draft)
    except UnabridgedError:
        return "The home folder cannot be used."
    except OSError as error:
        return f"The home folder cannot be written: {error.strerror or type(error).__name__}."
    return ""


def _upstream(service: Service) -> str:
    try:
        service.upstreams.look()
    except UnabridgedError as error:
        return f"The upstream cannot be used ({type(error).__name__})."
    return ""


async def alive(_: Request) -> JSONResponse:
    """Answer that the process is alive."""
    return JSONResponse({"status": "ok"})


async def ready(request: Request) -> JSONResponse:
    """Answer whether the home is writable and the upstream is known."""
    service = service_of(request)
    known: Readiness | None = getattr(request.app.state, "readiness", None)
    if known is None or not timedelta() <= service.clock.now() - known.at < FRESH:
        known = request.app.state.readiness = await asyncio.to_thread(look, service)
    wrong = [text for text in known.checks.values() if text]
    body = {
        "status": "ok" if known.ready else "unavailable",
        "checks": {name: text or "ok" for name, text in known.checks.items()},
        "reason": " ".join(wrong),
        "warnings": known.warnings,
    }
    return JSONResponse(body, 200 if known.ready else 503, {"cache-control": "no-store"})


async def metrics(request: Request) -> Response:
    """Answer the metrics in Prometheus' format."""
    text = await asyncio.to_thread(service_of(request).metrics.text)
    return Response(text, headers={"content-type": FORMAT})


ROUTES = (
    Route("/healthz", alive),
    Route("/readyz", ready),
    Route("/metrics", metrics),
)
"""The routes of a server's health."""
