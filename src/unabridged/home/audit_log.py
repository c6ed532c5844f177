"""The audit log of a home: what is entered, when it is written, and how it is read and verified."""

import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from unabridged import config
from unabridged.disk.atomic_write import system_errors
from unabridged.disk.folders import private_folder
from unabridged.domain.audit import LOCAL, Audit, AuditEntry, Outcome
from unabridged.domain.encryption_key import EncryptionKey
from unabridged.domain.hash_chain import Proof
from unabridged.domain.scope import SpaceId
from unabridged.domain.settings import Settings
from unabridged.errors import SettingError, StoreError
from unabridged.home.audit_chain import SUFFIX, AuditChain, NewEntry
from unabridged.home.forgetting import HomeKeys
from unabridged.home.open_spaces import databases_of, guard_of
from unabridged.ports import Clock

FOLDER = "audit"
"""In the home's folder ``logs``."""
BATCH_SECONDS = 1.0
MOST = 10_000
"""The most entries that wait for a log that cannot be written; then reads are refused."""
_HINT = (
    "Make logs/audit of the home writable, or turn the log off: unabridged config set audit none"
)


class AuditLog:
    """Enters operations in the log of a home. Threads and processes can share it.

    Args:
        settings: All settings.
        clock: The clock.

    Attributes:
        warn: Takes the error of a log that cannot be written; None raises it.
        trouble: Why the last entries are not written yet; empty if they are.
    """

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._pending: dict[tuple[object, ...], NewEntry] = {}
        self._guard = threading.Lock()
        self._timer: threading.Timer | None = None
        self._chain: AuditChain | None = None
        self.warn: Callable[[str], None] | None = None
        self.trouble = ""

    def note(
        self,
        audit: Audit,
        who: str,
        what: str,
        space: SpaceId | None,
        *,
        outcome: Outcome,
        count: int = 0,
    ) -> None:
        """Enter an operation that ended.

        Raises:
            StoreError: It must be written before the answer, and cannot be.
        """
        if not _is_entered(self._settings, audit, who):
            return
        noted = NewEntry(self._clock.now(), who, what, space, outcome, 1, count)
        is_late = audit is Audit.READS and who != LOCAL
        with self._guard:
            self._add((who, what, space, outcome, None if is_late else object()), noted)
            is_late = is_late and len(self._pending) < MOST
            if is_late and self._timer is None:
                self._timer = threading.Timer(BATCH_SECONDS, self._write_batch)
                self._timer.daemon = True
                self._timer.start()
        if not is_late:
            self._write_now()

    def close(self) -> None:
        """Write what waits."""
        with self._guard:
            timer, self._timer = self._timer, None
        if timer is not None:
            timer.cancel()
        with suppress(StoreError, SettingError):  # what waited was read and is told in `trouble`
            self._write()

    def _add(self, key: tuple[object, ...], noted: NewEntry) -> None:
        held = self._pending.get(key)
        if held is not None:
            noted = replace(held, times=held.times + noted.times, count=held.count + noted.count)
        self._pending[key] = noted

    def _write_now(self) -> None:
        try:
            self._write()
        except (StoreError, SettingError) as error:
            said = f"The audit log cannot be written: {error}"
            if self.warn is None:
                raise StoreError(said, hint=_HINT) from error
            self.warn(said)

    def _write_batch(self) -> None:
        with self._guard:
            self._timer = None
        with suppress(StoreError, SettingError):  # it is kept, and told in `trouble`
            self._write()

    def _write(self) -> None:
        with self._guard:
            pending, self._pending = self._pending, {}
        if not pending:
            return
        try:
            if self._chain is None:
                self._chain = _chains(self._settings, make=True)[0]
            days = self._settings.audit_days
            self._chain.append(
                list(pending.values()), timedelta(days=days) if days is not None else None
            )
            self.trouble = ""
        except (StoreError, SettingError) as error:
            self.trouble = str(error)
            if self.warn is None:
                with self._guard:
                    for key, noted in pending.items():
                        self._add(key, noted)
            raise


def _is_entered(settings: Settings, audit: Audit, who: str) -> bool:
    if settings.store == "memory" or settings.audit == "none":
        return False
    return settings.audit == "all" or who != LOCAL or audit is Audit.ACTS


def entries(settings: Settings, since: datetime | None = None) -> list[AuditEntry]:
    """Return the entries of a home from a time on, the oldest first.

    The names of spaces that are still in the home are filled in.

    Raises:
        StoreError: The log cannot be read.
    """
    found: list[AuditEntry] = []
    if not (Path(settings.home) / "logs" / FOLDER).is_dir():
        return found
    spaces = [info.space for info in databases_of(settings).list() if info.space is not None]
    for chain in _chains(settings):
        names = {chain.space_of(space): space.name for space in spaces}
        found += [
            replace(entry, name=names.get(entry.space, ""))
            for entry in chain.entries()
            if since is None or entry.at >= since
        ]
    return sorted(found, key=lambda entry: entry.at)


def verify_audit(settings: Settings) -> Iterator[Proof]:
    """Check every entry of the audit log; nothing if there is none."""
    folder = Path(settings.home) / "logs" / FOLDER
    known = _chains(settings)
    anchored = bool(settings.checkpoint_file)
    for chain in known:
        try:
            found, flaws = chain.check()
        except StoreError as error:
            found, flaws = 0, [str(error)]
        if found or flaws:
            note = (
                f"{found:,} {'entry' if found == 1 else 'entries'} under the key {chain.path.stem}"
            )
            yield Proof(
                "audit log",
                str(chain.path),
                None,
                anchored=anchored,
                flaws=tuple(flaws),
                note=note,
            )
    names = {chain.path.name for chain in known}
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        if path.name not in names:
            flaw = f"the key with the mark {path.stem} is missing, so that nothing verifies it."
            yield Proof("audit log", str(path), None, anchored=anchored, flaws=(flaw,))


def moor_audit(settings: Settings) -> None:
    """Set the checkpoints of the audit log to its present state."""
    if (Path(settings.home) / "logs" / FOLDER).is_dir():
        for chain in _chains(settings):
            if chain.path.exists():
                chain.moor()


def _chains(settings: Settings, *, make: bool = False) -> list[AuditChain]:
    keys, folder = HomeKeys(settings), Path(settings.home) / "logs" / FOLDER
    if make:
        with system_errors(folder):
            private_folder(config.folder(settings.home, "logs") / FOLDER)
        keys.current()
    held = [EncryptionKey(key) for key in keys.held()]
    anchor = guard_of(settings).anchor if held else None
    return [AuditChain(folder, key, anchor) for key in held]
