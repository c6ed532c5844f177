"""The window of requests without memory: that of requests with it.

Ollama loads a model again when the window of a request (``num_ctx``) differs from that of the request
before. So side requests, continuations and preloads get the window that memory uses for the model.
"""

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request

from unabridged.domain.scope import Scope
from unabridged.errors import NotFoundError, StoreError, UnabridgedError
from unabridged.factory.adapters import UpstreamInfoCache
from unabridged.ports import ChatModel, SupportsRelay
from unabridged.server.resolve_scope import scope_of
from unabridged.server.state import Service, service_of
from unabridged.space.space import Space
from unabridged.wire.lenient_json import mapping, number, text
from unabridged.wire.stream_lines import encode


async def usual_window(
    service: Service, scope: Scope, model: ChatModel | None, wanted: int | None
) -> int | None:
    """Return the window of a request with memory; as wanted if the upstream is not Ollama.

    Args:
        service: The service.
        scope: The scope of the request; a missing space is not created.
        model: The model that answers.
        wanted: The window that the client wants, or None.

    Raises:
        UpstreamError: The upstream does not describe the model.
    """
    if model is None or not _is_ollama(model):
        return wanted

    def told(space: Space) -> int:
        return space.info(model, wanted).window

    def computed() -> int:
        settings = service.pool.settings_of(scope.agent, scope.profile)
        return UpstreamInfoCache(settings, service.clock)(model, wanted).window

    try:
        return await service.run(scope, told, create=False)
    except (NotFoundError, StoreError):
        return await service.think(computed)


def _is_ollama(model: object) -> bool:
    return isinstance(model, SupportsRelay) and model.address.dialect == "ollama"


def in_window(body: Mapping[str, Any], window: int | None) -> dict[str, Any]:
    """Return a request in Ollama's dialect with a window; the client's own wins."""
    options = mapping(body.get("options"))
    if window is None or number(options.get("num_ctx")):
        return dict(body)
    return {**body, "options": {**options, "num_ctx": window}}


async def in_usual_window(request: Request, body: Mapping[str, Any]) -> bytes:
    """Return a request for Ollama, as it is sent on, with the window of requests with memory."""
    service, name = service_of(request), text(body.get("model"))
    try:
        model = await service.think(lambda: service.upstreams.model(name))
        scope = scope_of(request, model=name)
        window = await usual_window(service, scope, model, None)
    except UnabridgedError:
        window = None  # the upstream itself says what is wrong with the request
    return encode(in_window(body, window))
