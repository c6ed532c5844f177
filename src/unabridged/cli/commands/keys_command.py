"""``unabridged keys``."""

from datetime import datetime
from typing import Any

import click

from unabridged.cli.format import day, moment
from unabridged.cli.options import Invocation
from unabridged.cli.output import echo, echo_lines
from unabridged.cli.paint import Column, table, width
from unabridged.cli.parse_moment import parse_end
from unabridged.cli.plain_command import PlainGroup
from unabridged.clock import SystemClock
from unabridged.domain.permissions import AccessKey, Grant, Right
from unabridged.home.api_keys import ApiKeys

_USUAL = (Right.CHAT, Right.READ, Right.WRITE)


command = PlainGroup(
    "keys",
    """Manage the API keys of `unabridged serve`.

    Without any API key the server answers on this machine only. Once there is one, every request needs a key, also on this machine, and also after the key is revoked or expires.

    The key of `unabridged key` is something else: it seals and encrypts what is stored.
    """,
    "unabridged keys create phone --user ann --expires 90d",
    "unabridged keys list",
    "unabridged keys revoke phone",
    default="list",
)


@command.sub(
    "create",
    "unabridged keys create phone --user ann --expires 90d",
    options=("home", "profile", "user", "agent", "json"),
    audit="keys.create",
)
@click.argument("name")
@click.option("--session", metavar="ID", help="Limit it to one session.")
@click.option(
    "--right",
    "rights",
    multiple=True,
    type=click.Choice([str(right) for right in Right]),
    help="What it allows; repeat for several.  [default: chat, read, write]",
)
@click.option(
    "--expires",
    metavar="WHEN",
    help="When it expires: 12h, 30d, 8w, or a date such as 2027-01-31.  [default: never]",
)
def create_command(
    invocation: Invocation,
    name: str,
    *,
    session: str | None,
    rights: tuple[str, ...],
    expires: str | None,
) -> None:
    """Create an API key; it is shown once and not stored.

    --user and --agent limit the key to the memory of that user or agent. A key without a user may name any user, so create one for each person. Rights: chat (with the model and memory), read (look up), write (record and correct), forget (delete for good).

    --profile serves the key with its own profile, whatever the server was started with.

    --session limits the key to one session: no other session, fact or pin is listed, shown, recalled or quoted.
    """
    now = SystemClock().now()
    grant = Grant(
        name,
        user=invocation.given("user"),
        agent=invocation.given("agent"),
        session=session,
        rights=frozenset(Right(right) for right in rights) or frozenset(_USUAL),
        expires=parse_end(expires, now) if expires else None,
        profile=invocation.given("profile") or "",
    )
    settings = invocation.settings()
    key, secret = ApiKeys(settings.home).create(grant, now)
    if invocation.json:
        invocation.emit({**_data(key, now), "key": secret})
        return
    echo(secret, "accent")
    echo(f"Created the API key {name}: {_reach(key)}; {_rights(key)}; {_end(key)}.", err=True)
    echo("It is shown only now. Set it as the API key of a client, or send it as", err=True)
    echo("  Authorization: Bearer KEY", err=True)
    if grant.user is None:
        echo("It may name any user; --user limits a key to one person.", "dim", err=True)
    for field in ("user", "agent"):
        if getattr(grant, field) is not None and field not in settings.isolation:
            under = f"the profile {grant.profile}" if grant.profile else "these settings"
            said = f"It opens nothing with {under}, because all {field}s share one memory."
            echo(f"{said} Create one without --{field}, or change `isolation`.", "warn", err=True)


@command.sub("list", "unabridged keys list --json")
def list_command(invocation: Invocation) -> None:
    """List the API keys, oldest first; none of them can be shown again."""
    now = SystemClock().now()
    keys = ApiKeys(invocation.settings().home).every()
    if invocation.json:
        invocation.emit([_data(key, now) for key in keys])
        return
    if not keys:
        echo("There is no API key yet. Create one: unabridged keys create NAME", "dim")
        return
    columns = [
        Column("key"),
        Column("name", flexible=True),
        Column("reaches", flexible=True),
        Column("rights", flexible=True),
        Column("state"),
        Column("expires"),
        Column("last used"),
    ]
    rows = [
        (k.id, k.grant.name, _reach(k), _rights(k), k.state(now), day(k.grant.expires), _used(k))
        for k in keys
    ]
    echo_lines(table(columns, rows, width()))


@command.sub("revoke", "unabridged keys revoke phone", audit="keys.revoke")
@click.argument("which")
def revoke_command(invocation: Invocation, which: str) -> None:
    """Revoke an API key, by its name or by its id in the list.

    It works at once, also on a running server. Other keys stay valid, and every request still needs one.
    """
    now = SystemClock().now()
    key = ApiKeys(invocation.settings().home).revoke(which, now)
    invocation.answer(_data(key, now), f"Revoked the API key {key.grant.name} ({key.id}).")


def _data(key: AccessKey, now: datetime) -> dict[str, Any]:
    grant = key.grant
    return {
        "id": key.id,
        "name": grant.name,
        "user": grant.user,
        "agent": grant.agent,
        "session": grant.session,
        "profile": grant.profile,
        "rights": [right for right in Right if right in grant.rights],
        "state": key.state(now),
        "created": key.created,
        "expires": grant.expires,
        "revoked": key.revoked,
        "used": key.used,
    }


def _reach(key: AccessKey) -> str:
    fields = ("user", "agent", "session", "profile")
    named = [f"{f} {getattr(key.grant, f)}" for f in fields if getattr(key.grant, f)]
    return ", ".join(named) or "everything"


def _rights(key: AccessKey) -> str:
    return " ".join(right for right in Right if right in key.grant.rights)


def _end(key: AccessKey) -> str:
    return f"until {moment(key.grant.expires)}" if key.grant.expires else "never expires"


def _used(key: AccessKey) -> str:
    return day(key.used) or "never"
