"""The headers of a client that an upstream of Anthropic's dialect gets.

The client's own key passes through where the settings have none for the upstream, and never one of
ours: it is the client's if a request needs no key here, or shows ours in ``X-Unabridged-Key``.
Nothing of it is stored or logged.
"""

from collections.abc import Mapping

from starlette.requests import Request

from unabridged.domain.chat import Address
from unabridged.server.auth import LOOPBACK, OWN_KEY
from unabridged.server.state import grant_of

_ABOUT = ("anthropic-", "x-app", "user-agent")
"""Beginnings of the names of headers that describe the request: versions, betas, the program."""
_KEYS = ("authorization", "x-api-key")


def upstream_headers(request: Request) -> dict[str, str]:
    """Return the headers that are sent with a request, the client's own key among them."""
    headers = request.headers
    names = [name for name in headers if name.startswith(_ABOUT)]
    if grant_of(request) is LOOPBACK or OWN_KEY in headers:
        names += [name for name in _KEYS if name in headers]
    return {name: ", ".join(headers.getlist(name)) for name in names}


def with_address(headers: Mapping[str, str], address: Address) -> dict[str, str]:
    """Return headers for an address: where it has a key of its own, no client's."""
    hidden = _KEYS if address.key else ()
    return {name: value for name, value in headers.items() if name not in hidden}
