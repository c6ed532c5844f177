"""The API keys of a home, and the token of its server: made, looked up, revoked.

A key has 256 random bits, so one SHA-256 is enough. Slow hashes protect guessable secrets, and
nobody can guess this one (NIST SP 800-63B, section 5.1.1.2, on look-up secrets). Only digests are
written. The token gives programs on this machine access to memory while there is no key; whoever
can read the user's files can read it.
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
"""The longest secret that is checked; ours are shorter."""
_LOCK_SECONDS = 30.0
USE_EVERY = timedelta(hours=1)
"""The precision of a key's last use; otherwise each request would write."""
_HINT = "Make one: unabridged keys create NAME"


class ApiKeys:
    """The API keys and the token of one home. Processes can share them.

    Raises:
        StoreDamagedError: The file of keys was changed, found when it is read.
        StoreFormatError: It was written by a newer version.
        SettingError: Other users may change it.
    """

    def __init__(self, home: str | os.PathLike[str]) -> None:
        self._home = Path(home)
        self._path = self._home / "config" / KEYS
        self._seen: tuple[int, int, int] | None = None
        self._held: dict[str, AccessKey] = {}
        self._noted: dict[str, datetime] = {}

    def every(self) -> list[AccessKey]:
        """Return every key ever made, the oldest first, with its last use."""
        uses = self._uses()
        return [replace(key, used=uses.get(key.id)) for key in self._current().values()]

    @property
    def closed(self) -> bool:
        """Return whether every route needs a key: once one was made, even if none is valid now."""
        return bool(self._current())

    def usable(self, now: datetime) -> bool:
        """Return whether any key is valid now."""
        return any(key.usable(now) for key in self._current().values())

    def create(self, grant: Grant, now: datetime) -> tuple[AccessKey, str]:
        """Make a key; return it and its secret, which is not stored.

        Raises:
            NameRefusedError: A name in it cannot be used, or a valid key has it.
            InputError: It grants nothing, or has already expired.
        """
        _check(grant, now)
        made = secrets.token_hex(_ID_BYTES)
        secret = f"{PREFIX}{made}_{_random()}"
        key = AccessKey(made, replace(grant, id=made), _digest(secret), now)
        with self._changing() as held:
            same = (k for k in held.values() if k.grant.name == grant.name and not k.revoked)
            if next(same, None) is not None:
                raise NameRefusedError(
                    f"There is already a key named {grant.name!r}.",
                    hint="Choose another name, or revoke it: unabridged keys revoke NAME",
                )
            held[made] = key
        return key, secret

    def revoke(self, which: str, now: datetime) -> AccessKey:
        """Revoke a key by its id or name, in running servers too.

        Raises:
            NotFoundError: There is no unrevoked key with that id or name.
        """
        with self._changing() as held:
            for key in held.values():
                if which in (key.id, key.grant.name) and key.revoked is None:
                    held[key.id] = replace(key, revoked=now)
                    return held[key.id]
            raise NotFoundError(
                "There is no unrevoked key with that id or name.",
                hint="List them: unabridged keys list",
            )

    def grant_of(self, secret: str, now: datetime) -> AccessKey:
        """Return the key of a secret.

        Raises:
            KeyRefusedError: It is not a key of this home, or is expired or revoked. The error does
                not contain the key.
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
            SettingError: Other users can read it, or it is invalid.
        """
        path = config.folder(self._home, "config") / TOKEN
        with system_errors(path):
            if not path.exists():
                write_first(path, f"{TOKEN_PREFIX}{_random()}\n".encode())
            _refuse_shared(path, 0o077)
            held = path.read_bytes().strip()
        if not held.isascii() or not held.startswith(TOKEN_PREFIX.encode()):
            raise SettingError(
                f"{path} does not contain a token.",
                hint="Remove the file; the next start makes a new one.",
            )
        return held.decode("ascii")

    def note_use(self, key: AccessKey, now: datetime) -> bool:
        """Note the use of a key; return whether to write it now, with ``keep_uses``."""
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
            return msgspec.json.decode(data, type=dict[str, _Time])
        except (FileNotFoundError, ValueError, RecursionError):
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
            if self._held:  # a file removed under a running server must not end its protection
                raise StoreDamagedError(
                    f"{self._path} is missing; no key is valid until it is back.",
                    hint="Restore it. To continue without keys, restart the server.",
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
        raise InputError("This key would have no rights.", hint=f"Add a right: {', '.join(Right)}.")
    if grant.expires is not None and grant.expires <= now:
        raise InputError("This key would already be expired.", hint="Choose a later end.")


_Time = Annotated[datetime, msgspec.Meta(tz=True)]


class _Row(msgspec.Struct):
    """One key in the file."""

    id: str
    name: str
    digest: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
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
    except (ValueError, RecursionError) as error:
        raise StoreDamagedError(
            f"{path} is damaged; no key is valid until it is restored.",
            hint="Restore it, or remove it and make new keys.",
        ) from error
    if found.format != FORMAT:
        raise StoreFormatError(
            f"{path} was written by a newer version.", hint="Install a newer Unabridged."
        )
    keys = {}
    for row in found.keys:
        rights = frozenset(row.rights)
        grant = Grant(
            row.name,
            row.user,
            row.agent,
            row.session,
            rights,
            row.expires,
            row.profile,
            id=row.id,
        )
        keys[row.id] = AccessKey(row.id, grant, row.digest, row.created, row.revoked)
    return keys


def _refuse_shared(path: Path, mode: int) -> None:
    if os.name == "nt":
        return
    found = path.stat()
    mine = stat.S_ISREG(found.st_mode) and found.st_uid in (os.geteuid(), 0)
    if not mine or stat.S_IMODE(found.st_mode) & mode:
        raise SettingError(
            f"{path} is not your file, or open to others (mode {found.st_mode & 0o7777:04o}).",
            hint=f"Protect it: chmod 600 {path}",
        )
