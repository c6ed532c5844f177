"""The guard: checks every request before a handler sees it.

It checks, in this order: the headers' size, the Host (against DNS rebinding), the Origin (against
pages of other sites), the rule of the route, the key, its rights, the rate, the body's size. It
answers what fails itself, in the dialect of the route. No answer contains any part of a key.

A request shows an API key in ``X-Unabridged-Key``, ``Authorization: Bearer`` or ``x-api-key``, or
the token. The token is
valid only on the loopback, also when keys exist: whoever can read it can read the memory's files.
While there is no key, programs of the server's own account may chat from the loopback without one;
``local_accounts`` tells whose a connection is.
Once a key was made, every route but the two of health needs one, even after it expired or was
revoked.

Sources: the Fetch standard on Origin and Sec-Fetch-Site, https://fetch.spec.whatwg.org; RFC 9110
(Host, 401, 403, 421), RFC 9457 (problems), MCP's transport rules on Origin.
"""

import asyncio
import hmac
from collections.abc import Iterable
from hashlib import sha256
from http import HTTPStatus

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from unabridged.domain.permissions import Grant, Right
from unabridged.domain.settings import Settings
from unabridged.errors import (
    KeyRefusedError,
    PermissionRefusedError,
    RequestRefusedError,
    SettingError,
    StoreError,
    UnabridgedError,
)
from unabridged.home.api_keys import ApiKeys
from unabridged.ports import Clock
from unabridged.server.error_responses import body_in, code_of, status_of
from unabridged.server.limits import (
    ClientGoneError,
    Rates,
    RequestLimits,
    Streams,
    check_depth,
    check_headers,
    counted,
    read_body,
    replay,
)
from unabridged.server.local_accounts import Loopback, account_in, is_ours, loopback_of
from unabridged.server.origin_check import (
    check_host,
    check_origin,
    is_forwarded,
    is_local,
    is_loopback,
    names_of,
    only,
    split_host,
)
from unabridged.server.route_permissions import Door, PermissionRule, rule_for

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
LOOPBACK = Grant("loopback", rights=frozenset({Right.CHAT, Right.WRITE}), names_users=False)
"""The rights of a program on this machine while there is no key: all dialects, for one user."""
OWN_KEY = "x-unabridged-key"
"""The header for a key of ours, if ``Authorization`` or ``x-api-key`` has the upstream's."""
TOKEN = Grant("token")
NOBODY = Grant("nobody", rights=frozenset())
"""The rights of everybody."""
_ADDED = (
    (b"x-content-type-options", b"nosniff"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
_FILES = "/api/blobs/"
"""Bodies below this path may have gigabytes, if the setting allows: never hold them in memory."""
_CORS = b"access-control-"
_A_KEY = "Its owner makes one: unabridged keys create NAME. Send it as: Authorization: Bearer KEY"
_TOKEN_HINT = "Send the text of the home's config/server-token as: Authorization: Bearer TOKEN"  # noqa: S105 - no secret


class AuthMiddleware:
    """The outermost check; without limits, those of the settings apply."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        settings: Settings,
        access: ApiKeys,
        clock: Clock,
        limits: RequestLimits | None = None,
    ) -> None:
        self._app = app
        self._access = access
        self._clock = clock
        self._token = sha256(access.token().encode()).digest()
        self._names = names_of(settings)
        self._loopback, self._because = loopback_of(settings)
        self._limits = limits or RequestLimits(settings.max_body)
        self._rates = Rates(settings.rate_limit)
        self._streams = Streams(settings.max_streams)
        self._notes: set[asyncio.Future[None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, or answer it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": ""})
        elif scope["type"] == "http":
            try:
                rule, receive = await self._admit(scope, receive)
                counted = rule.door is Door.DIALECT and scope["method"] == "POST"
                if counted:
                    self._streams.enter()
            except ClientGoneError:
                return
            except UnabridgedError as error:
                await _answer(scope["path"], error)(scope, receive, send)
                return
            try:
                await self._app(scope, receive, _sending(send))
            finally:
                if counted:
                    self._streams.leave()

    async def _admit(self, scope: Scope, receive: Receive) -> tuple[PermissionRule, Receive]:
        headers: list[tuple[bytes, bytes]] = scope["headers"]
        check_headers(headers, self._limits)
        check_host(scope, self._names)
        check_origin(headers)
        if scope["method"] not in METHODS:
            raise RequestRefusedError(
                "Unknown HTTP method.", status=405, code="method", hint="Use GET or POST."
            )
        rule = rule_for(scope["method"], scope["path"])
        who, grant = self._identify(scope, rule)
        if rule.right is not None and rule.right not in grant.rights:
            raise PermissionRefusedError(
                f"This key does not have the right {rule.right}.",
                hint=f"Use a key that does: unabridged keys create NAME --right {rule.right}",
            )
        if rule.all_users and grant.is_narrow:
            raise PermissionRefusedError(
                "This key is for one user, agent or session; this route shows something of all.",
                hint="Use a key without those limits: unabridged keys create NAME --right read",
            )
        if rule.door is not Door.OPEN:
            self._rates.take(who, asyncio.get_running_loop().time())
        scope.setdefault("state", {})["grant"] = grant
        if scope["path"].startswith(_FILES):
            return rule, counted(headers, receive, self._limits)
        body = await read_body(headers, receive, self._limits)
        check_depth(body, self._limits)
        return rule, replay(body, receive)

    def _identify(self, scope: Scope, rule: PermissionRule) -> tuple[str, Grant]:
        if rule.door is Door.OPEN:
            return "", NOBODY
        shown, local = _shown(scope["headers"]), is_local(scope)
        mark = sha256(shown.encode("latin-1")).digest()
        if local and hmac.compare_digest(mark, self._token):
            return "token", TOKEN
        try:
            return self._by_key(shown, rule, scope, local=local)
        except (StoreError, SettingError):
            raise RequestRefusedError(
                "The API keys cannot be read, so every request is refused.",
                status=503,
                code="keys_unreadable",
                hint="On the server's machine, `unabridged keys list` shows why.",
            ) from None

    def _by_key(
        self, shown: str, rule: PermissionRule, scope: Scope, *, local: bool
    ) -> tuple[str, Grant]:
        if not self._access.closed:
            if local and rule.door is Door.DIALECT:
                self._check_account(scope)
                return "loopback", LOOPBACK
            if local:
                raise KeyRefusedError("Memory needs this server's token.", hint=_TOKEN_HINT)
            proxies = "requests through a proxy" if is_forwarded(scope["headers"]) else ""
            raise KeyRefusedError(
                f"This server refuses {proxies or 'other machines'}: it has no API key.",
                hint="On its machine: unabridged keys create NAME",
            )
        if not shown:
            raise KeyRefusedError(
                "This server needs an API key.",
                hint="Send it as: Authorization: Bearer KEY. `unabridged keys create NAME` makes one.",
            )
        now = self._clock.now()
        key = self._access.grant_of(shown, now)
        if self._access.note_use(key, now):
            note = asyncio.ensure_future(asyncio.to_thread(self._keep_uses))
            self._notes.add(note)
            note.add_done_callback(self._notes.discard)
        return key.id, key.grant

    def _check_account(self, scope: Scope) -> None:
        if self._loopback is Loopback.EVERYONE:
            return
        if self._loopback is Loopback.NOBODY:
            raise KeyRefusedError(f"This server needs a key, since {self._because}.", hint=_A_KEY)
        if not is_ours(account_in(scope)):
            raise KeyRefusedError(
                "Without a key, this server answers only programs of the account that runs it.",
                hint=_A_KEY,
            )

    def _keep_uses(self) -> None:
        try:
            self._access.keep_uses()
        except (StoreError, SettingError):
            return  # the time of last use only informs people; nothing depends on it


def refuse_to_listen(settings: Settings, access: ApiKeys, clock: Clock) -> None:
    """Refuse to listen beyond this machine while there is no key.

    Raises:
        SettingError: The address is not the loopback, and no key is valid.
        StoreError: The keys cannot be read.
    """
    address = split_host(settings.listen)[0]
    if is_loopback(address) or access.usable(clock.now()):
        return
    raise SettingError(
        f"{settings.listen} can be reached from other machines, and there is no valid API key.",
        hint="Make one first: unabridged keys create NAME. Or listen on 127.0.0.1 only.",
    )


def _shown(headers: Iterable[tuple[bytes, bytes]]) -> str:
    if (own := only(headers, OWN_KEY.encode())) is not None:
        return own.decode("latin-1").strip()
    bearer = only(headers, b"authorization")
    if bearer is not None:
        scheme, _, value = bearer.decode("latin-1").strip().partition(" ")
        if scheme.lower() == "bearer" and value.strip():
            return value.strip()
    plain = only(headers, b"x-api-key")
    return plain.decode("latin-1").strip() if plain is not None else ""


def _sending(send: Send) -> Send:
    async def marked(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = message.get("headers", ())
            kept = [pair for pair in headers if not pair[0].lower().startswith(_CORS)]
            message = {**message, "headers": [*kept, *_ADDED]}
        await send(message)

    return marked


def _answer(path: str, error: UnabridgedError) -> JSONResponse:
    status = status_of(error)
    headers = {name.decode(): value.decode() for name, value in _ADDED}
    headers["connection"] = "close"  # its body was not read
    headers["cache-control"] = "no-store"
    if status == HTTPStatus.UNAUTHORIZED:
        headers["www-authenticate"] = "Bearer"
    if isinstance(error, RequestRefusedError) and error.wait is not None:
        headers["retry-after"] = str(error.wait)
    if path.startswith("/api/"):
        return JSONResponse(body_in("ollama", error), status, headers)
    if path.startswith("/v1/messages"):
        return JSONResponse(body_in("anthropic", error), status, headers)
    if path.startswith("/v1/"):
        return JSONResponse(body_in("openai", error), status, headers)
    body = {
        "type": f"urn:unabridged:http:{code_of(error)}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": str(error),
        "hint": error.hint,
    }
    return JSONResponse(body, status, headers, "application/problem+json")
