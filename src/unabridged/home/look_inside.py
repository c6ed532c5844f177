"""Look for exchanges in plain files of a home that forgetting does not reach."""

import base64
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

import msgspec

from unabridged.disk.byte_search import BLOCK, ByteSearch
from unabridged.domain.exchange import Exchange
from unabridged.home.backup_archive import BackupManifest
from unabridged.language.words import fold, unescaped, words
from unabridged.retrieval.echo_filter import own_messages

MOST_BYTES = 64 << 20
"""Bytes of a file that is looked into; a larger one may hold anything."""
_RUN = 5
"""Words in a row that a copy of a message shares with it."""
_PLAIN = b"SQLite format 3\0"


def may_backup_hold(path: Path, manifest: BackupManifest, exchanges: Sequence[Exchange]) -> bool:
    """Return whether a backup may hold one of these exchanges; false only if it was looked into."""
    names = [name for name in manifest.members if name.endswith(".db")]
    if not names or manifest.size > MOST_BYTES:
        return True
    search = ByteSearch([[exchange.id.encode()] for exchange in exchanges])
    try:
        with zipfile.ZipFile(path) as archive:
            for name in names:
                with archive.open(name) as stream:
                    blocks = _blocks(stream)
                    first = next(blocks, b"")
                    if not first.startswith(_PLAIN):
                        return True
                    search.through(name, [first, *blocks])
    except (OSError, zipfile.BadZipFile, RuntimeError, NotImplementedError, KeyError, ValueError):
        return True
    return bool(search.found)


def may_aside_hold(path: Path, exchanges: Sequence[Exchange]) -> bool:
    """Return whether a file of unread records may hold words of these exchanges."""
    try:
        if path.stat().st_size > MOST_BYTES:
            return True
        lines = path.read_bytes().splitlines()
        texts = [_raw_of(msgspec.json.decode(line, type=dict[str, str])) for line in lines]
    except (OSError, ValueError, RecursionError):
        return True
    said = {run for text in texts for run in _runs_of(text)}
    messages = (message.text for one in exchanges for message in own_messages(one))
    return any(not said.isdisjoint(_runs_of(text)) or _is_short(text, texts) for text in messages)


def _blocks(stream: IO[bytes]) -> Iterator[bytes]:
    while block := stream.read(BLOCK):
        yield block


def _raw_of(line: dict[str, str]) -> str:
    raw = line.get("raw")
    if raw is None:
        raw = base64.b64decode(line["raw_base64"]).decode("utf-8", "replace")
    return unescaped(raw)


def _runs_of(text: str) -> set[tuple[str, ...]]:
    said = words(fold(text))
    return {tuple(said[at : at + _RUN]) for at in range(len(said) - _RUN + 1)}


def _is_short(text: str, texts: Sequence[str]) -> bool:
    # A text of too few words for a run is compared whole.
    said = words(fold(text))
    return 0 < len(said) < _RUN and any(
        f" {' '.join(said)} " in f" {' '.join(words(fold(other)))} " for other in texts
    )
