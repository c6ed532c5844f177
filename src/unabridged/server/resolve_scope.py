"""The scope of a request: what its key grants, narrowed by what it names.

The key comes first: a request cannot change a field that it sets. Other fields come from the
headers, then from the ``user`` field of an OpenAI body, then from the settings.
"""

from starlette.requests import HTTPConnection

from unabridged.domain.permissions import Grant
from unabridged.domain.scope import Scope, check_name
from unabridged.domain.settings import Settings
from unabridged.errors import InputError, NameRefusedError, PermissionRefusedError
from unabridged.server.state import grant_of, service_of

HEADERS = {
    "user": "x-unabridged-user",
    "agent": "x-unabridged-agent",
    "session": "x-unabridged-session",
    "model": "x-unabridged-model",
}
"""The headers that name the scope; UTF-8, at most once each."""


def scope_of(connection: HTTPConnection, user_field: str = "", model: str = "") -> Scope:
    """Return the scope of a request.

    Args:
        connection: The request, after the guard.
        user_field: The ``user`` of an OpenAI body; empty for none. Used if neither the key nor a
            header names the user, and ignored if the key may not name users: programs send it
            without a thought of memory.
        model: The model that the request's body names; it overrides the header if every model has
            its own memory.

    Returns:
        The scope. Its session is None if neither the key nor a header names one.

    Raises:
        PermissionRefusedError: It names something its key does not allow.
        NameRefusedError: A name cannot be used.
    """
    grant, service = grant_of(connection), service_of(connection)
    named = {field: _header(connection, field) for field in HEADERS}
    user = _chosen("user", grant.user, named["user"])
    agent = _chosen("agent", grant.agent, named["agent"])
    if user is None and user_field and grant.names_users:
        user = _checked("user", user_field)
    agent = service.settings.agent if agent is None else agent
    settings = service.pool.settings_of(agent, grant.profile)
    _check_isolation(grant, settings)
    if not grant.names_users and "user" in settings.isolation and user not in (None, settings.user):
        raise PermissionRefusedError(
            "Naming a user (the header x-unabridged-user) needs an API key.",
            hint="Make one that may name users: unabridged keys create NAME",
        )
    asked = model or named["model"] or settings.model
    return Scope(
        user=settings.user if user is None else user,
        agent=agent,
        model=asked if "model" in settings.isolation else None,
        session=_chosen("session", grant.session, named["session"]),
        profile=grant.profile,
    )


def _chosen(field: str, granted: str | None, named: str | None) -> str | None:
    # The key's value, or else the request's.
    if granted is None:
        return named
    if named is not None and named != granted:
        raise PermissionRefusedError(
            f"This key does not reach that {field}.",
            hint=f"Leave {HEADERS[field]} out, or use a key for that {field}.",
        )
    return granted


def _header(connection: HTTPConnection, field: str) -> str | None:
    name = HEADERS[field].encode()
    found = [value for key, value in connection.scope["headers"] if key == name]
    if not found:
        return None
    if len(found) > 1:
        raise InputError(f"{HEADERS[field]} occurs twice.", hint="Send it once.")
    try:
        text: str = found[0].decode("utf-8")
    except UnicodeDecodeError:
        raise NameRefusedError(
            f"{HEADERS[field]} is not UTF-8.", hint="Encode the name in UTF-8."
        ) from None
    return _checked(field, text.strip())


def _checked(field: str, name: str) -> str:
    try:
        check_name(field, name)
    except ValueError as error:
        said = str(error)
        raise NameRefusedError(
            f"{said[0].upper()}{said[1:]}.", hint="Choose another name."
        ) from error
    return name


def _check_isolation(grant: Grant, settings: Settings) -> None:
    for field in ("user", "agent"):
        if getattr(grant, field) is not None and field not in settings.isolation:
            raise PermissionRefusedError(
                f"This key is for one {field}, and the settings keep all {field}s in one memory.",
                hint=f"Add {field} to the setting `isolation`, or use a key without a {field}.",
            )
