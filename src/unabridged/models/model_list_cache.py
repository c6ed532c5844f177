"""A cache of the lists of models that servers returned.

A fresh list answers at once. An expired one is asked for again, and used if the server does not
answer (ReqVIBE, *Model List Caching*).
"""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from unabridged.disk.atomic_write import write_whole
from unabridged.disk.folders import private_folder
from unabridged.errors import StoreError, UpstreamError
from unabridged.ports import Clock

FILE_NAME = "models.json"
_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Listed:
    """A list of models.

    Attributes:
        names: Their names, the most recently used first.
        cached: Whether it comes from the cache.
        trouble: Why the server did not return it now; empty if it did or was not asked.
    """

    names: tuple[str, ...]
    at: datetime
    cached: bool = False
    trouble: str = ""


class ModelListCache:
    """A cache of lists of models; empty lists are not stored.

    Args:
        folder: The folder of ``models.json``; None to store nothing.
        ttl: Seconds for which a list is fresh.
    """

    def __init__(self, clock: Clock, folder: Path | None, ttl: float) -> None:
        self._clock = clock
        self._path = None if folder is None else folder / FILE_NAME
        self._ttl = ttl

    def get(self, server: str, ask: Callable[[], Sequence[str]], *, fresh: bool = False) -> Listed:
        """Return the models of a server.

        The server's address must hold no secret; ``fresh`` asks the server in any case.

        Raises:
            UpstreamError: It does not answer, and nothing is cached.
        """
        now = self._clock.now()
        known = self._read().get(server)
        if known is not None and not fresh and self._is_within(known, self._ttl):
            return known
        try:
            names = tuple(ask())
        except UpstreamError as error:
            if known is None:
                raise
            return Listed(known.names, known.at, cached=True, trouble=str(error))
        self._keep(server, Listed(names, now))
        return Listed(names, now)

    def recent(
        self, server: str, ask: Callable[[], Sequence[str]], seconds: float
    ) -> tuple[str, ...]:
        """Return the models of a server, listed in the last seconds or now.

        Raises:
            UpstreamError: It does not answer.
        """
        known = self._read().get(server)
        if known is not None and self._is_within(known, min(seconds, self._ttl)):
            return known.names
        listed = Listed(tuple(ask()), self._clock.now())
        self._keep(server, listed)
        return listed.names

    def _is_within(self, listed: Listed, seconds: float) -> bool:
        return 0 <= (self._clock.now() - listed.at).total_seconds() < seconds

    def _read(self) -> dict[str, Listed]:
        if self._path is None:
            return {}
        try:
            data = json.loads(self._path.read_text("utf-8"))
            entries = data["servers"] if data["format"] == _FORMAT else {}
            return {server: _listed(entry) for server, entry in entries.items()}
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return {}

    def _keep(self, server: str, listed: Listed) -> None:
        if self._path is None:
            return
        known = self._read()
        known.pop(server, None)
        if listed.names:
            known[server] = listed
        body = {name: {"at": e.at.isoformat(), "models": e.names} for name, e in known.items()}
        data = json.dumps({"format": _FORMAT, "servers": body}, indent=1, ensure_ascii=False)
        # Without a cache the server is asked again; nothing else is lost.
        with suppress(OSError, StoreError):
            private_folder(self._path.parent)
            write_whole(self._path, data.encode())


def _listed(entry: Mapping[str, Any]) -> Listed:
    at, names = datetime.fromisoformat(entry["at"]), entry["models"]
    if at.tzinfo is None or not names or not all(isinstance(name, str) for name in names):
        raise ValueError("an invalid list")
    return Listed(tuple(names), at, cached=True)
