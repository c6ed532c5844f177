"""A record: data of a space next to its messages."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from unabridged.domain.blob import Blob


class RecordKind(StrEnum):
    """The kind of a record."""

    CONTEXT = "context"
    """The manifest and ledger of a prepared context; its id is that of the exchange."""
    OVERVIEW = "overview"
    """A condensed text that prompts carried; its id is the text's, and manifests name it."""
    FACT = "fact"
    """A statement about the user; pinned or not."""
    CALIBRATION = "calibration"
    """A model's calibration; its id is the model's name."""
    CONDENSATION = "condensation"
    """The condensations of one session or period; its id is the session's or the period's."""
    READING = "reading"
    """The annotations of an exchange; its id is the exchange's."""
    REQUIREMENT = "requirement"
    """A requirement with its Volere fields."""
    RUN = "run"
    """What one run of condensing did, in figures."""
    PROGRESS = "progress"
    """The position of a pass over the space; its id names the pass."""
    TOMBSTONE = "tombstone"
    """Tombstones: keyed digests of what was forgotten."""
    RECEIPT = "receipt"
    """What a forgetting removed, in figures."""
    REQUEST = "request"
    """What a client's request did, in ids, so that a repeated one is not done twice."""
    OPENING = "opening"
    """Marks an exchange with which a program begins every conversation; its id is the exchange's."""
    COMPACTION = "compaction"
    """Links a summary that a program sent to the turns that it replaces; its id is the exchange's."""
    FOLDER = "folder"
    """The working folder that a program named for a session; its id is the session's."""
    SHARE = "share"
    """A share between two spaces, in ids and names; both sides keep one."""


@dataclass(frozen=True, slots=True)
class Record:
    """One record; putting another of the same kind and id replaces it.

    Attributes:
        id: Unique within its kind.
        at: When it was made.
        body: Plain data: what JSON can hold.
        exchanges: The ids of its source exchanges. Forgetting one of them forgets the record.
        blobs: The blobs that it uses. The store keeps each once, as long as anything uses it.
    """

    kind: RecordKind
    id: str
    at: datetime
    body: Mapping[str, Any] = field(default_factory=dict)
    exchanges: tuple[str, ...] = ()
    blobs: tuple[Blob, ...] = ()
