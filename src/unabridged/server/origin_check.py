"""The origin of a request: the host it names, the page and the machine that sent it.

A page of another site can make a browser send requests here. It cannot set the Host or Origin
header: the first contains the server's name as the page used it (an attacker's name, after DNS
rebinding), the second the page's site.
"""

import re
from collections.abc import Iterable
from ipaddress import IPv6Address, ip_address

from starlette.types import Scope

from unabridged.domain.settings import Settings
from unabridged.errors import RequestRefusedError

Headers = Iterable[tuple[bytes, bytes]]

_HOST = re.compile(r"(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(?::([0-9]{1,5}))?")
_ORIGIN = re.compile(r"(https?)://(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(?::([0-9]{1,5}))?")
_PORTS = {"http": "80", "https": "443"}
_LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
_OWN_PAGES = frozenset({b"same-origin", b"none"})
_FORWARDED = frozenset(
    b"forwarded via x-forwarded-for x-forwarded-host x-forwarded-proto x-real-ip".split()
)
"""Headers of proxies: with them the request is not from this machine, though the connection is."""


def split_host(text: str) -> tuple[str, str]:
    """Split ``name:port``; the name in lower case and without brackets.

    Returns:
        Both empty if invalid; the port empty if there is none.
    """
    found = _HOST.fullmatch(text.strip())
    return (found[1].strip("[]").lower(), found[2] or "") if found else ("", "")


def names_of(settings: Settings) -> frozenset[str]:
    """The valid host names of the server."""
    names = {split_host(name)[0] for name in (settings.listen, *settings.hosts)}
    return (_LOOPBACK_NAMES | names) - {"", "0.0.0.0", "::"}  # noqa: S104 - no name to call it by


def check_host(scope: Scope, names: frozenset[str]) -> None:
    """Refuse a request for another host name.

    The address of the connection is valid, since only our pages can be served from it.

    Raises:
        RequestRefusedError: 400 for no Host or two, 403 for a wrong one.
    """
    host = only(scope["headers"], b"host")
    name, _ = split_host((host or b"").decode("latin-1"))
    if not name:
        raise RequestRefusedError(
            "The Host header is missing or invalid.",
            status=400,
            code="invalid_host",
            hint="Send one Host header with the server's address.",
        )
    if name in names or name == _reached(scope):
        return
    raise RequestRefusedError(
        "The Host header names another server.",
        status=403,
        code="host_refused",
        hint="Use the server's address, or add the name to the setting hosts.",
    )


def check_origin(headers: Headers) -> None:
    """Refuse a request that a page of another site sent.

    Raises:
        RequestRefusedError: 403.
    """
    origin, host = only(headers, b"origin"), only(headers, b"host")
    site = only(headers, b"sec-fetch-site")
    own = origin is None or _same(origin.decode("latin-1"), (host or b"").decode("latin-1"))
    if own and (site is None or site.strip().lower() in _OWN_PAGES):
        return
    raise RequestRefusedError(
        "A page of another site sent this request.",
        status=403,
        code="origin_refused",
        hint="Call the server from a program: pages of other sites have no access.",
    )


def _same(origin: str, host: str) -> bool:
    found = _ORIGIN.fullmatch(origin.strip())
    name, port = split_host(host)
    if not found or not name:
        return False
    usual = _PORTS[found[1]]
    return (found[2].strip("[]").lower(), found[3] or usual) == (name, port or usual)


def is_local(scope: Scope) -> bool:
    """Return whether a request comes from this machine, not through a proxy on it."""
    client = scope.get("client")
    if not client or not is_loopback(str(client[0])):
        return False
    return not is_forwarded(scope["headers"])


def is_forwarded(headers: Headers) -> bool:
    """Return whether a proxy passed a request on."""
    return any(name in _FORWARDED for name, _ in headers)


def is_loopback(address: str) -> bool:
    """Return whether an address belongs to this machine only."""
    if address == "localhost":
        return True
    try:
        found = ip_address(address)
    except ValueError:
        return False
    mapped = found.ipv4_mapped if isinstance(found, IPv6Address) else None
    return (mapped or found).is_loopback


def only(headers: Headers, name: bytes) -> bytes | None:
    """Return the value of a header, or None.

    Raises:
        RequestRefusedError: 400: it occurs twice, and two readers could choose differently.
    """
    found = [value for key, value in headers if key == name]
    if len(found) > 1:
        raise RequestRefusedError(
            f"The header {name.decode()} occurs twice.",
            status=400,
            code="invalid_request",
            hint="Send it once.",
        )
    return found[0] if found else None


def _reached(scope: Scope) -> str:
    server = scope.get("server")
    try:
        found = ip_address(str(server[0])) if server else None
    except ValueError:
        return ""
    if found is None or found.is_unspecified:
        return ""
    mapped = found.ipv4_mapped if isinstance(found, IPv6Address) else None
    return str(mapped or found)
