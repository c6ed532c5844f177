"""``unabridged keys``."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import click

from unabridged.cli.format import day, moment
from unabridged.cli.options import PLACE, Invocation, common, example, invoked
from unabridged.cli.output import echo, echo_lines
from unabridged.cli.paint import Column, table, width
from unabridged.clock import SystemClock
from unabridged.domain.permissions import AccessKey, Grant, Right
from unabridged.errors import InputError
from unabridged.home.api_keys import ApiKeys

_USUAL = (Right.CHAT, Right.READ, Right.WRITE)
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_SPAN = re.compile(r"([1-9][0-9]{0,5})([mhdw])")


@click.group(
    "keys",
    epilog=example(
        "unabridged keys create phone --user ann --expires 90d",
        "unabridged keys list",
        "unabridged keys revoke phone",
    ),
)
def command() -> None:
    """Make, list or revoke the API keys that `unabridged serve` asks for.

    Without any key the server answers on this machine only. With the first one, every request needs a key, on this machine too, and stays so when that key is revoked or ends.

    The key of `unabridged key` is another thing: it encrypts and seals what is stored.
    """


@command.command("create", epilog=example("unabridged keys create phone --user ann --expires 90d"))
@click.argument("name")
@click.option("--session", metavar="ID", help="The only session that it writes, lists and shows.")
@click.option(
    "--right",
    "rights",
    multiple=True,
    type=click.Choice([str(right) for right in Right]),
    help="What it allows; may be given several times. Default: chat, read and write.",
)
@click.option(
    "--expires", metavar="WHEN", help="When it ends: 12h, 30d, 8w, or a date such as 2027-01-31."
)
@common("home", "profile", "user", "agent", "json")
@invoked
def create_command(
    invocation: Invocation,
    name: str,
    *,
    session: str | None,
    rights: tuple[str, ...],
    expires: str | None,
) -> None:
    """Make a key; it is shown once and kept nowhere.

    --user and --agent make it a key for that user's or agent's memory only. A key without a user may name any user, so give one to each person. Rights: chat talks to the model with memory, read looks memory up, write records and corrects, forget removes for good.

    --profile serves it under a profile of its own, whatever the server was started with.

    --session narrows a key to one session: nothing of another one is listed, shown, recalled or quoted for it, nor what is known or pinned beside.
    """
    now = SystemClock().now()
    grant = Grant(
        name,
        user=invocation.given("user"),
        agent=invocation.given("agent"),
        session=session,
        rights=frozenset(Right(right) for right in rights) or frozenset(_USUAL),
        expires=ending(expires, now) if expires else None,
        profile=invocation.given("profile") or "",
    )
    settings = invocation.settings()
    key, secret = ApiKeys(settings.home).create(grant, now)
    if invocation.json:
        invocation.emit({**_data(key, now), "key": secret})
        return
    echo(secret, "accent")
    echo(f"This is the key {name}: {_reach(key)}; {_rights(key)}; {_end(key)}.", err=True)
    echo("It is shown this once. Give it as the API key of a client, or send it as", err=True)
    echo("  Authorization: Bearer KEY", err=True)
    if grant.user is None:
        echo("It may name any user: give --user to make a key for one person.", "dim", err=True)
    for field in ("user", "agent"):
        if getattr(grant, field) is not None and field not in settings.isolation:
            under = f"the profile {grant.profile}" if grant.profile else "these settings"
            told = f"It opens nothing under {under}, where all {field}s have one memory: "
            echo(f"{told}make one without --{field}, or change `isolation`.", "warn", err=True)


@command.command("list", epilog=example("unabridged keys list --json"))
@common(*PLACE)
@invoked
def list_command(invocation: Invocation) -> None:
    """List the keys, the oldest first; none of them can be read again."""
    now = SystemClock().now()
    keys = ApiKeys(invocation.settings().home).every()
    if invocation.json:
        invocation.emit([_data(key, now) for key in keys])
        return
    if not keys:
        echo("There is no key yet; `unabridged keys create NAME` makes one.", "dim")
        return
    columns = [
        Column("key"),
        Column("name", flexible=True),
        Column("reaches", flexible=True),
        Column("rights", flexible=True),
        Column("state"),
        Column("ends"),
        Column("last used"),
    ]
    rows = [
        (k.id, k.grant.name, _reach(k), _rights(k), k.state(now), day(k.grant.expires), _used(k))
        for k in keys
    ]
    echo_lines(table(columns, rows, width()))


@command.command("revoke", epilog=example("unabridged keys revoke phone"))
@click.argument("which")
@common(*PLACE)
@invoked
def revoke_command(invocation: Invocation, which: str) -> None:
    """Revoke a key, by its name or by what `keys list` calls it.

    It opens nothing from now on; a server that runs needs no restart. Other keys, and the need for one, stay.
    """
    now = SystemClock().now()
    key = ApiKeys(invocation.settings().home).revoke(which, now)
    invocation.answer(
        _data(key, now), f"The key {key.grant.name} ({key.id}) opens nothing any more."
    )


def ending(text: str, now: datetime) -> datetime:
    """Read when a key ends: a span from now, or a date (its first moment, UTC).

    Raises:
        InputError: It is neither.
    """
    if span := _SPAN.fullmatch(text.strip().lower()):
        return now + timedelta(**{_UNITS[span[2]]: int(span[1])})
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        raise InputError(
            f"{text!r} is no time.", hint="Give 12h, 30d, 8w, or a date such as 2027-01-31."
        ) from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


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
    return f"until {moment(key.grant.expires)}" if key.grant.expires else "without an end"


def _used(key: AccessKey) -> str:
    return day(key.used) or "never"
