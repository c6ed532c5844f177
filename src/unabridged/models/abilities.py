"""The abilities of models: from the server, a cache on disk, or a table."""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from unabridged.disk.atomic_write import write_whole
from unabridged.disk.folders import private_folder
from unabridged.domain.chat import Abilities
from unabridged.errors import StoreError, UpstreamError
from unabridged.models.known_models import known
from unabridged.ports import Clock

DEFAULT_WINDOW = 4_096
"""The window of an unknown model: nearly every server allows it."""
RETRY_SECONDS = 30.0
"""How long not to ask a server that did not answer."""
FILE_NAME = "abilities.json"
_FORMAT = 1


@dataclass(frozen=True, slots=True)
class _Entry:
    at: datetime
    abilities: Abilities


class AbilityCache:
    """A cache of what servers report about their models.

    Fresh entries answer at once. Expired ones are asked for again, and used if the server does
    not answer. Without an entry, the table of known models answers, then a cautious default.

    Args:
        folder: The folder of ``abilities.json``; None to keep the cache in memory only.
        ttl: Seconds for which an entry is fresh.
    """

    def __init__(self, clock: Clock, folder: Path | None = None, ttl: float = 3600.0) -> None:
        self._clock = clock
        self._path = None if folder is None else folder / FILE_NAME
        self._ttl = ttl
        self._entries: dict[str, _Entry] | None = None
        self._failed: dict[str, datetime] = {}

    def get(self, key: str, model: str, ask: Callable[[], Abilities]) -> Abilities:
        """Return what a model can do.

        The key names server and model without any secret; the full name is for the table.
        """
        now = self._clock.now()
        entries = self._load()
        entry = entries.get(key)
        if entry is not None and 0 <= (now - entry.at).total_seconds() < self._ttl:
            return filled(replace(entry.abilities, source="cache"))
        asked = None if self._resting(key, now) else self._ask(key, ask, now)
        if asked is not None:
            entries[key] = _Entry(now, asked)
            self._save()
            return filled(asked)
        if entry is not None:
            return filled(replace(entry.abilities, source="stale cache"))
        return filled(Abilities(model))

    def forget(self, key: str) -> None:
        """Ask again at the next ``get``: the server's limits have changed."""
        if self._load().pop(key, None) is not None:
            self._save()
        self._failed.pop(key, None)

    def _resting(self, key: str, now: datetime) -> bool:
        failed = self._failed.get(key)
        return failed is not None and 0 <= (now - failed).total_seconds() < RETRY_SECONDS

    def _ask(self, key: str, ask: Callable[[], Abilities], now: datetime) -> Abilities | None:
        try:
            asked = ask()
        except UpstreamError:
            self._failed[key] = now
            return None
        self._failed.pop(key, None)
        return replace(asked, source="server")

    def _load(self) -> dict[str, _Entry]:
        if self._entries is None:
            try:
                self._entries = _read(self._path) if self._path is not None else {}
            except (OSError, ValueError, TypeError, KeyError, AttributeError):
                self._entries = {}
        return self._entries

    def _save(self) -> None:
        if self._path is None or self._entries is None:
            return
        entries = {
            key: {"at": entry.at.isoformat(), "abilities": asdict(entry.abilities)}
            for key, entry in sorted(self._entries.items())
        }
        data = json.dumps({"format": _FORMAT, "entries": entries}, indent=1)
        # Without a cache the server is asked again; nothing else is lost.
        with suppress(OSError, StoreError):
            private_folder(self._path.parent)
            write_whole(self._path, data.encode())


def _read(path: Path) -> dict[str, _Entry]:
    data = json.loads(path.read_text("utf-8"))
    if data["format"] != _FORMAT:
        raise ValueError("another format")
    return {key: _entry(value) for key, value in data["entries"].items()}


def _entry(value: Mapping[str, Any]) -> _Entry:
    at = datetime.fromisoformat(value["at"])
    abilities = Abilities(**value["abilities"])
    lengths = (abilities.trained_window, abilities.loaded_window, abilities.max_output)
    if at.tzinfo is None or any(not _is_length(length) for length in lengths):
        raise ValueError("an invalid entry")
    return _Entry(at, abilities)


def _is_length(value: Any) -> bool:
    return value is None or (isinstance(value, int) and value > 0)


def filled(abilities: Abilities) -> Abilities:
    """Fill unknown abilities from the table of known models, then by the default.

    ``source`` is ``table`` or ``default`` if the window comes from there.
    """
    row = known(abilities.model)
    if row is not None:
        abilities = replace(
            abilities,
            max_output=abilities.max_output or row.output,
            tools=row.tools if abilities.tools is None else abilities.tools,
            vision=row.vision if abilities.vision is None else abilities.vision,
        )
    if abilities.trained_window or abilities.loaded_window:
        return abilities
    if row is not None:
        return replace(abilities, trained_window=row.window, source="table")
    return replace(abilities, trained_window=DEFAULT_WINDOW, source="default")


def look_up(
    cache: AbilityCache | None, key: str, model: str, ask: Callable[[], Abilities]
) -> Abilities:
    """Return what a model can do, with or without a cache; a server that does not answer is no error."""
    if cache is not None:
        return cache.get(key, model, ask)
    try:
        return filled(replace(ask(), source="server"))
    except UpstreamError:
        return filled(Abilities(model))
