"""The guard: what every request passes before any handler sees it."""

from starlette.types import ASGIApp, Receive, Scope, Send

from unabridged.domain.access import Grant


class Guard:
    """Middleware before everything."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, with what it may do."""
        if scope["type"] == "http":
            scope.setdefault("state", {})["grant"] = Grant("loopback")
        await self._app(scope, receive, send)
