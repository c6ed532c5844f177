"""Models and vectors in all dialects, for every kind of upstream."""

import json
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from unabridged.domain.chat import Abilities
from unabridged.domain.exchange import QUOTING
from unabridged.errors import InputError, ModelNotFoundError, UpstreamBrokenError, UpstreamError
from unabridged.net.http import key_headers
from unabridged.net.relay import RelayedReply, UpstreamRelay
from unabridged.server.client_credentials import upstream_headers
from unabridged.server.error_responses import Handler, speaking
from unabridged.server.passthrough import lacking, passing
from unabridged.server.state import service_of
from unabridged.wire import listings
from unabridged.wire.lenient_json import mapping, mappings, number, text
from unabridged.wire.ollama import full_name
from unabridged.wire.stream_lines import encode
from unabridged.wire.upstream_errors import refusal, refusal_of

_JSON = {"content-type": "application/json"}
_CLAUDE_MODELS = "/models?limit=1000"
_NOT_ALLOWED = (401, 403)


async def body_of(request: Request) -> dict[str, Any]:
    """Return a request's JSON object; an empty one for an empty body.

    Raises:
        InputError: It is not a JSON object.
    """
    raw = await request.body()
    try:
        value = json.loads(raw) if raw.strip() else {}
    except (ValueError, RecursionError) as error:
        raise InputError("The body is invalid JSON.", hint="Send one JSON object.") from error
    if not isinstance(value, dict):
        raise InputError("The body is not a JSON object.", hint="Send one JSON object.")
    return value


async def asked_of(
    relay: UpstreamRelay, method: str, path: str, body: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return a JSON object of the upstream.

    Raises:
        UpstreamError: It refuses, or returns something else.
    """
    sent = None if body is None else encode(body)
    reply = await relay.open(method, path, sent, None if body is None else _JSON)
    if reply.status >= 400:
        raise await refused(reply)
    value = _json(await _all(reply))
    if not isinstance(value, dict):
        raise UpstreamBrokenError(
            "The server returned something that is not a JSON object.",
            hint="Check that a model server runs at the address.",
        )
    return value


async def refused(reply: RelayedReply) -> UpstreamError:
    """Return an upstream's refusal as a typed error; read and close its answer."""
    raw = await _all(reply)
    value = _json(raw)
    found = refusal_of(value, reply.status) if isinstance(value, dict) else None
    return found or refusal(raw[:500].decode("utf-8", "replace"), status=reply.status)


async def _all(reply: RelayedReply) -> bytes:
    try:
        return await reply.read()
    finally:
        await reply.close()


def _json(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None


# ---- Ollama's ---------------------------------------------------------------------------------


async def _running(_: Request) -> Response:
    return PlainTextResponse("Ollama is running")


async def _version(*_: object) -> Response:
    return JSONResponse({"version": listings.VERSION})


async def _tags(request: Request, relay: UpstreamRelay | None) -> Response:
    if relay is None or relay.address.dialect == "anthropic":
        names = await _names(request)
        return JSONResponse({"models": [listings.tag(name) for name in names]})
    found = mappings((await asked_of(relay, "GET", "/models")).get("data"))
    rows = [listings.tag(text(m.get("id")), number(m.get("created")) or 0) for m in found]
    return JSONResponse({"models": rows})


async def _ps(*_: object) -> Response:
    return JSONResponse({"models": []})


async def _show(request: Request, _: UpstreamRelay | None) -> Response:
    service = service_of(request)
    body = await body_of(request)
    name = text(body.get("model")) or text(body.get("name"))
    if not name:
        raise InputError("The request names no model.", hint="Send its name as model.")
    known = await service.think(service.upstreams.names)
    found = next((each for each in known if full_name(each) == full_name(name)), None)
    if found is None:
        raise _unknown(name)
    model = await service.think(lambda: service.upstreams.model(found))
    if model is None:
        return JSONResponse(listings.shown(_QUOTE))
    return JSONResponse(listings.shown(await service.think(model.abilities)))


_QUOTE = Abilities(QUOTING, tools=False)


def _unknown(name: str) -> ModelNotFoundError:
    return ModelNotFoundError(
        f"The upstream has no model {name!r}.", hint="List its models: /v1/models or /api/tags."
    )


async def _embed(request: Request, relay: UpstreamRelay | None) -> Response:
    relay = _embedding(relay)
    body = await body_of(request)
    found = await asked_of(relay, "POST", "/embeddings", listings.embeddings_body(body))
    return JSONResponse(listings.embedded_of(found, body))


def _embedding(relay: UpstreamRelay | None) -> UpstreamRelay:
    there = relay.address.dialect if relay else "none"
    if relay is None or there == "anthropic":
        raise lacking("model that makes vectors for clients", there)
    return relay


# ---- OpenAI's and Anthropic's ---------------------------------------------------------------------------------


def _by_version(handler: Handler, claude: Handler) -> Handler:
    # Both dialects have these paths; only Anthropic's clients send their version.
    async def handled(request: Request) -> Response:
        return await (claude if "anthropic-version" in request.headers else handler)(request)

    return handled


async def _claude_models(request: Request, _: UpstreamRelay | None) -> Response:
    rows = [listings.claude_row(name) for name in await _names(request)]
    ends = {"first_id": rows[0]["id"], "last_id": rows[-1]["id"]} if rows else {}
    return JSONResponse({"data": rows, "has_more": False, **ends})


async def _claude_model(request: Request, _: UpstreamRelay | None) -> Response:
    wanted = str(request.path_params["model"])
    for name in await _names(request):
        if full_name(name) == full_name(wanted):
            return JSONResponse(listings.claude_row(name))
    raise _unknown(wanted)


async def _names(request: Request) -> list[str]:
    service = service_of(request)
    relay = await service.relay()
    if relay is None or relay.address.dialect != "anthropic" or relay.address.key:
        return await service.think(service.upstreams.names)
    # Only clients' keys may ask this upstream; some programs list models without one.
    headers = {**key_headers("", relay.address.dialect), **upstream_headers(request)}
    reply = await relay.open("GET", _CLAUDE_MODELS, headers=headers)
    if reply.status in _NOT_ALLOWED:
        await reply.close()
        return [service.settings.model] if service.settings.model else []
    if reply.status >= 400:
        raise await refused(reply)
    rows = mappings(mapping(_json(await _all(reply))).get("data"))
    return [name for row in rows if (name := text(row.get("id")))]


async def _models(request: Request, relay: UpstreamRelay | None) -> Response:
    return JSONResponse({"object": "list", "data": await _model_rows(request, relay)})


async def _model_rows(request: Request, relay: UpstreamRelay | None) -> list[dict[str, Any]]:
    if relay is None or relay.address.dialect == "anthropic":
        owner = relay.address.dialect if relay else "unabridged"
        return [listings.model_row(name, owner=owner) for name in await _names(request)]
    found = mappings((await asked_of(relay, "GET", "/api/tags")).get("models"))
    named = [(text(row.get("model")) or text(row.get("name")), row) for row in found]
    return [listings.model_row(name, listings.created_of(row)) for name, row in named]


async def _model(request: Request, relay: UpstreamRelay | None) -> Response:
    wanted = str(request.path_params["model"])
    for row in await _model_rows(request, relay):
        if full_name(str(row["id"])) == full_name(wanted):
            return JSONResponse(row)
    raise _unknown(wanted)


async def _embeddings(request: Request, relay: UpstreamRelay | None) -> Response:
    relay = _embedding(relay)
    body = await body_of(request)
    found = await asked_of(relay, "POST", "/api/embed", listings.embed_body(body))
    return JSONResponse(listings.embeddings_of(found, body))


ROUTES = [
    Route("/", speaking("ollama", _running), methods=["GET"]),
    Route("/api/version", passing("ollama", _version), methods=["GET"]),
    Route("/api/tags", passing("ollama", _tags), methods=["GET"]),
    Route("/api/ps", passing("ollama", _ps), methods=["GET"]),
    Route("/api/show", passing("ollama", _show), methods=["POST"]),
    Route("/api/embed", passing("ollama", _embed), methods=["POST"]),
    Route("/api/embeddings", passing("ollama", _embed), methods=["POST"]),
    Route(
        "/v1/models",
        _by_version(passing("openai", _models), passing("anthropic", _claude_models)),
        methods=["GET"],
    ),
    Route(
        "/v1/models/{model:path}",
        _by_version(passing("openai", _model), passing("anthropic", _claude_model)),
        methods=["GET"],
    ),
    Route("/v1/embeddings", passing("openai", _embeddings), methods=["POST"]),
]
