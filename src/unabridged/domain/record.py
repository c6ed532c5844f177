"""A record: anything beside the messages that a space keeps."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from unabridged.domain.blob import Blob


class RecordKind(StrEnum):
    """What a record is."""

    CONTEXT = "context"
    """The manifest and ledger of a prepared context; its id is the exchange it was begun for."""
    OVERVIEW = "overview"
    """A condensed text that prompts carried; its id is the text's, and manifests name it."""
    FACT = "fact"
    """A statement about the user; pinned or not."""
    CALIBRATION = "calibration"
    """What a model's tokens really cost; its id is the model's name."""
    CONDENSATION = "condensation"
    """The condensations of one session or period; its id is the session's or the period's."""
    READING = "reading"
    """What the messages of an exchange were judged to be; its id is the exchange's."""
    REQUIREMENT = "requirement"
    """A requirement with its Volere fields."""
    RUN = "run"
    """What one run of condensing did, in figures."""
    PROGRESS = "progress"
    """How far work on the whole space has come; its id names the work."""
    TOMBSTONE = "tombstone"
    """Keyed digests of what was forgotten, by which it is recognised when it comes again."""
    RECEIPT = "receipt"
    """What a forgetting removed, in figures."""
    REQUEST = "request"
    """What a client's request did, in ids; by it one that is repeated is not done twice."""
    SHARE = "share"
    """What was carried from one space into another, in ids and names; both sides keep one."""


@dataclass(frozen=True, slots=True)
class Record:
    """One record; putting another of the same kind and id replaces it.

    Attributes:
        id: Unique within its kind.
        at: When it was made.
        body: Plain data: what JSON can hold.
        exchanges: The ids of the exchanges that it was drawn from. Forgetting one of them
            forgets the record.
        blobs: The blobs that it uses. The store keeps each once, as long as anything uses it.
    """

    kind: RecordKind
    id: str
    at: datetime
    body: Mapping[str, Any] = field(default_factory=dict)
    exchanges: tuple[str, ...] = ()
    blobs: tuple[Blob, ...] = ()
