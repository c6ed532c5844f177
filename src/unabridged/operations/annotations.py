"""Annotations: the categories, what messages were classified as, and correcting it."""

from typing import Annotated, Literal

from msgspec import Meta

from unabridged.annotations.annotate import ReadingCounts
from unabridged.domain.annotation import ExchangeReading, Scheme, category_name
from unabridged.domain.message import Role
from unabridged.domain.permissions import Right
from unabridged.operations.call import Call
from unabridged.operations.operation import MOST_A_PAGE, Name, Page, Params, operation


class SessionAnnotations(Params):
    """Whose annotations are listed.

    Attributes:
        session: The session.
        limit: The newest exchanges, at most this many.
    """

    session: Name
    limit: Annotated[int, Meta(ge=1, le=MOST_A_PAGE)] = 10


@operation("annotations.list", "GET /sessions/{session}/annotations", "Annotations, oldest first.")
def list_annotations(call: Call, params: SessionAnnotations) -> Page[ExchangeReading]:
    """List what the newest exchanges of a session were classified as."""
    newest = call.space.log.history(call.session(params.session).id, params.limit)
    found = call.space.annotations.of(newest)
    return Page([found[exchange.id] for exchange in newest if exchange.id in found])


@operation("annotations.scheme", "GET /annotations/scheme", "The categories.")
def annotation_scheme(call: Call) -> Scheme:
    """Return the categories of this space, with the share of each that stays verbatim."""
    return call.space.annotations.scheme


@operation("annotations.stats", "GET /annotations/stats", "Counts by category.", whole=True)
def count_annotations(call: Call) -> ReadingCounts:
    """Count how often each category was assigned, and by what."""
    return call.space.annotations.stats()


class AnnotationChange(Params):
    """The category of a message.

    Attributes:
        exchange: The exchange: its id or the beginning of it.
        category: The name of the category, such as `small talk`.
        side: Whose message of the exchange.
        importance: From 0 to 1; that of the category if it is omitted.
    """

    exchange: Name
    category: Name
    side: Literal["user", "assistant"] = "user"
    importance: Annotated[float, Meta(ge=0, le=1)] | None = None


@operation(
    "annotations.set",
    "PATCH /exchanges/{exchange}/annotation",
    "The annotation of the exchange as it is now.",
    Right.WRITE,
)
def set_annotation(call: Call, params: AnnotationChange) -> ExchangeReading:
    """Set the category of a message; later classification does not change it."""
    found = call.exchange(params.exchange)
    with call.space.editing:
        call.check_unchanged(call.space.annotations.of([found])[found.id])
        return call.space.annotations.correct(
            found,
            Role(params.side),
            category=category_name(params.category),
            importance=params.importance,
        )
