"""Reads back a share of the home's backups every hour, so that damage is noticed in time."""

import asyncio
from contextlib import suppress
from pathlib import Path

from unabridged.domain.settings import Settings
from unabridged.errors import UnabridgedError
from unabridged.home.backup_reader import BackupReader
from unabridged.ports import Clock
from unabridged.server.log import RequestLog

FIRST_SECONDS = 60.0
"""After the start, so that clients are answered first."""
EVERY_SECONDS = 3600.0


class _StoppedError(Exception):
    """The server ends: what is being read is read again by the next run."""


class BackupSchedule:
    """Reads in a thread; the period is that of the setting ``backup_verify_every``.

    Attributes:
        damaged: Backups that could not be read whole when they were last read.
    """

    def __init__(self, settings: Settings, clock: Clock, log: RequestLog) -> None:
        self._settings = settings
        self._clock = clock
        self._log = log
        self._task: asyncio.Task[None] | None = None
        self._ends = False
        self.damaged = 0

    def start(self) -> None:
        """Start; call it in the server's event loop."""
        if self._settings.store != "memory" and self._settings.backup_verify_every is not None:
            self._task = asyncio.create_task(self._work(), name="backups")

    async def stop(self) -> None:
        """Stop, also in the middle of a backup."""
        self._ends = True
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def _work(self) -> None:
        await asyncio.sleep(FIRST_SECONDS)
        while True:
            try:
                await asyncio.to_thread(self.run)
            except Exception as error:  # noqa: BLE001 - the next run tries again; it is told
                self._log.failed(error, "backups")
            await asyncio.sleep(EVERY_SECONDS)

    def run(self) -> None:
        """Read a share, and log what was read; names are not logged, since they name users."""
        if not (Path(self._settings.home) / "backups").is_dir():
            return
        reading = BackupReader(self._settings, self._clock)
        try:
            for one in reading.read_share(self._check_end):
                self._log.say("backup_damaged" if one.trouble else "backup_read", bytes=one.bytes)
        except _StoppedError:
            return
        except UnabridgedError as error:
            self._log.failed(error, "backups")
        self.damaged = sum(bool(one.trouble) for one in reading.states())

    def _check_end(self, _stage: str, _done: int, _of: int) -> None:
        if self._ends:
            raise _StoppedError
