"""The API keys of a home, and the token of its server: made, looked up, revoked.

A key is 256 random bits, so one SHA-256 is enough to keep: nobody finds the key to a digest by
trying, which slow hashes are for (NIST SP 800-63B, section 5.1.1.2, on look-up secrets). Only
digests are written. The token is what programs on this machine show for memory while there is no
key; whoever can read the person's files can read it.
"""

import base64
import hmac
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Annotated

import msgspec

from unabridged import config
from unabridged.disk.atomic_write import system_errors, write_first, write_whole
from unabridged.disk.locks import locked
from unabridged.domain.permissions import AccessKey, Grant, Right
from unabridged.domain.scope import check_name
from unabridged.errors import (
    InputError,
    KeyRefusedError,
    NameRefusedError,
    NotFoundError,
    SettingError,
    StoreDamagedError,
    StoreFormatError,
)

KEYS, USES, TOKEN = "keys.json", "key-uses.json", "server-token"
"""The files in the home's folder ``config``."""
PREFIX, TOKEN_PREFIX = "unb_", "unbtoken_"
FORMAT = 1
_BYTES = 32
_ID_BYTES = 5
_MOST = 256
"""Characters of a key that are looked at; ours have fewer."""
_LOCK_SECONDS = 30.0
USE_EVERY = timedelta(hours=1)
"""How exactly the last use of a key is kept: each request would else be a write."""
_HINT = "Make one with: unabridged keys create NAME"


class ApiKeys:
    """The API keys and the token of one home. Any number of processes share them.

    Raises:
        StoreDamagedError: The file of keys, when it is read, is not what was written.
        StoreFormatError: It was written by a newer version.
        SettingError: Others than its owner may change it.
    """

    def __init__(self, home: str | os.PathLike[str]) -> None:
        self._home = Path(home)
        self._path = self._home / "config" / KEYS
        self._seen: tuple[int, int, int] | None = None
        self._held: dict[str, AccessKey] = {}
        self._noted: dict[str, datetime] = {}

    def every(self) -> list[AccessKey]:
        """Return every key that was ever made, the oldest first, with its last use."""
        uses = self._uses()
        return [replace(key, used=uses.get(key.id)) for key in self._current().values()]

    @property
    def closed(self) -> bool:
        """Whether every route needs a key: once one was made, also if none is valid now."""
        return bool(self._current())

    def usable(self, now: datetime) -> bool:
        """Whether there is a key that opens anything now."""
        return any(key.usable(now) for key in self._current().values())

    def create(self, grant: Grant, now: datetime) -> tuple[AccessKey, str]:
        """Make a key; return it as it is kept, and the secret, which is stored nowhere.

        Raises:
            NameRefusedError: A name in it cannot be used, or a key that was not revoked has it.
            InputError: It grants nothing, or has ended already.
        """
        _check(grant, now)
        made = secrets.token_hex(_ID_BYTES)
        secret = f"{PREFIX}{made}_{_random()}"
        key = AccessKey(made, grant, _digest(secret), now)
        with self._changing() as held:
            same = (k for k in held.values() if k.grant.name == grant.name and not k.revoked)
            if next(same, None) is not None:
                raise NameRefusedError(
                    f"There is a key of the name {grant.name!r}.",
                    hint="Choose another name, or revoke it: unabridged keys revoke NAME",
                )
            held[made] = key
        return key, secret

    def revoke(self, which: str, now: datetime) -> AccessKey:
        """Revoke a key by its id or name: it opens nothing any more, in running servers too.

        Raises:
            NotFoundError: There is no key of that id or name that was not revoked.
        """
        with self._changing() as held:
            for key in held.values():
                if which in (key.id, key.grant.name) and key.revoked is None:
                    held[key.id] = replace(key, revoked=now)
                    return held[key.id]
            raise NotFoundError(
                "No key of that id or name is left to revoke.",
                hint="List them: unabridged keys list",
            )

    def grant_of(self, secret: str, now: datetime) -> AccessKey:
        """Return the key of a secret.

        Raises:
            KeyRefusedError: It is no key of this home, or it is expired or revoked. The error does
                not name the key.
        """
        shown = secret[:_MOST]
        made = shown.removeprefix(PREFIX).partition("_")[0] if shown.startswith(PREFIX) else ""
        key = self._current().get(made)
        same = hmac.compare_digest(_digest(shown), key.digest if key else "0" * 64)
        if key is None or not same:
            raise KeyRefusedError("This API key is not valid.", hint=_HINT)
        if not key.usable(now):
            raise KeyRefusedError(f"This API key is {key.state(now)}.", hint=_HINT)
        return key

    def token(self) -> str:
        """Return the token of this home's server; the first call makes it.

        Raises:
            SettingError: Others than its owner can read it, or it is none.
        """
        path = config.folder(self._home, "config") / TOKEN
        with system_errors(path):
            if not path.exists():
                write_first(path, f"{TOKEN_PREFIX}{_random()}\n".encode())
            _refuse_shared(path, 0o077)
            held = path.read_bytes().strip()
        if not held.isascii() or not held.startswith(TOKEN_PREFIX.encode()):
            raise SettingError(
                f"{path} holds no token.", hint="Remove the file: the next start makes a new one."
            )
        return held.decode("ascii")

    def note_use(self, key: AccessKey, now: datetime) -> bool:
        """Remember that a key was used; return whether to write it now, with ``keep_uses``."""
        before = self._noted.get(key.id)
        if before is not None and now - before < USE_EVERY:
            return False
        self._noted[key.id] = now
        return True

    def keep_uses(self) -> None:
        """Write when keys were last used."""
        folder = config.folder(self._home, "config")
        with locked(folder / ".keys.lock", _LOCK_SECONDS):
            uses = self._uses()
            for made, at in self._noted.items():
                uses[made] = max(at, uses.get(made, at))
            write_whole(folder / USES, msgspec.json.encode(uses))

    def _uses(self) -> dict[str, datetime]:
        try:
            data = (self._home / "config" / USES).read_bytes()
            return msgspec.json.decode(data, type=dict[str, datetime])
        except (FileNotFoundError, msgspec.MsgspecError):
            return {}

    @contextmanager
    def _changing(self) -> Iterator[dict[str, AccessKey]]:
        folder = config.folder(self._home, "config")
        with locked(folder / ".keys.lock", _LOCK_SECONDS):
            held = dict(self._current())
            yield held
            data = _File(FORMAT, [_row(key) for key in held.values()])
            write_whole(self._path, msgspec.json.format(msgspec.json.encode(data)) + b"\n")
        self._seen = None

    def _current(self) -> dict[str, AccessKey]:
        try:
            found = self._path.stat()
        except FileNotFoundError:
            if self._held:  # a file that went away under a server must not open its doors
                raise StoreDamagedError(
                    f"{self._path} is gone; no key is valid until it is back.",
                    hint="Restore it. To continue without keys, start the server again.",
                ) from None
            self._seen = None
            return self._held
        mark = (found.st_mtime_ns, found.st_size, found.st_ino)
        if mark != self._seen:
            _refuse_shared(self._path, 0o022)
            self._held = _read(self._path)
            self._seen = mark
        return self._held


def _random() -> str:
    return base64.urlsafe_b64encode(secrets.token_bytes(_BYTES)).rstrip(b"=").decode()


def _digest(secret: str) -> str:
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _check(grant: Grant, now: datetime) -> None:
    try:
        check_name("key", grant.name)
        for name in ("user", "agent", "session"):
            if getattr(grant, name) is not None:
                check_name(name, getattr(grant, name))
    except ValueError as error:
        raise NameRefusedError(
            f"This key cannot be made: {error}.", hint="Choose another name."
        ) from error
    if not grant.rights:
        raise InputError(
            "This key would allow nothing.", hint=f"Give it a right: {', '.join(Right)}."
        )
    if grant.expires is not None and grant.expires <= now:
        raise InputError("This key would have ended already.", hint="Give it a later end.")


_Time = Annotated[datetime, msgspec.Meta(tz=True)]


class _Row(msgspec.Struct):
    """One key in the file."""

    id: str
    name: str
    digest: str
    user: str | None
    agent: str | None
    session: str | None
    profile: str
    rights: list[Right]
    created: _Time
    expires: _Time | None
    revoked: _Time | None


class _File(msgspec.Struct):
    """The file of keys."""

    format: int
    keys: list[_Row]


def _row(key: AccessKey) -> _Row:
    return _Row(
        key.id,
        key.grant.name,
        key.digest,
        key.grant.user,
        key.grant.agent,
        key.grant.session,
        key.grant.profile,
        sorted(key.grant.rights),
        key.created,
        key.grant.expires,
        key.revoked,
    )


def _read(path: Path) -> dict[str, AccessKey]:
    with system_errors(path):
        data = path.read_bytes()
    try:
        found = msgspec.json.decode(data, type=_File)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise StoreDamagedError(
            f"{path} is damaged; no key is valid until it is mended.",
            hint="Restore it, or remove it and create the keys again.",
        ) from error
    if found.format != FORMAT:
        raise StoreFormatError(
            f"{path} was written by a newer version.", hint="Install a newer Unabridged."
        )
    keys = {}
    for row in found.keys:
        rights = frozenset(row.rights)
        grant = Grant(row.name, row.user, row.agent, row.session, rights, row.expires, row.profile)
        keys[row.id] = AccessKey(row.id, grant, row.digest, row.created, row.revoked)
    return keys


def _refuse_shared(path: Path, mode: int) -> None:
    if os.name == "nt":
        return
    found = path.stat()
    mine = stat.S_ISREG(found.st_mode) and found.st_uid in (os.geteuid(), 0)
    if not mine or stat.S_IMODE(found.st_mode) & mode:
        raise SettingError(
            f"{path} is no file of your own, or open to others (mode {found.st_mode & 0o7777:04o}).",
            hint=f"Keep it to yourself: chmod 600 {path}",
        )
