"""Annotations: the category and importance of messages; list, count and correct them."""

from typing import Annotated, Literal

from msgspec import Meta

from unabridged.annotations.annotate import ReadingCounts
from unabridged.domain.annotation import ExchangeReading
from unabridged.domain.message import Role
from unabridged.domain.permissions import Right
from unabridged.operations.call import Call
from unabridged.operations.operation import Name, Page, Params, operation
from unabridged.operations.sessions import SessionPage, list_session_exchanges


@operation(
    "annotations.list",
    "GET /sessions/{session}/annotations",
    "Annotations of exchanges, the newest first.",
)
def list_annotations(call: Call, params: SessionPage) -> Page[ExchangeReading]:
    """List the annotations of a session's current path, the newest exchange first."""
    page = list_session_exchanges.run(call, params)
    held = call.space.annotations.of(page.items)
    return Page([held[each.id] for each in page.items], page.next)


@operation("annotations.stats", "GET /annotations", "The figures.", whole=True)
def annotation_stats(call: Call) -> ReadingCounts:
    """Count the annotations by category and by who made them; `pending` are not annotated yet."""
    return call.space.annotations.stats()


class Correction(Params):
    """The right annotation of a message.

    Attributes:
        exchange: The id of the exchange.
        category: The category; `GET /memory/annotations` lists them.
        side: Whose message of the exchange.
        importance: How much it matters, 0 to 1; without it, that of the category.
    """

    exchange: Name
    category: Annotated[str, Meta(min_length=1, max_length=200, pattern=r"\S")]
    side: Literal["user", "assistant"] = "user"
    importance: Annotated[float, Meta(ge=0, le=1)] | None = None


@operation(
    "annotations.set",
    "PATCH /exchanges/{exchange}/annotation",
    "The annotations of the exchange.",
    Right.WRITE,
)
def set_annotation(call: Call, params: Correction) -> ExchangeReading:
    """Set the category of a message. Later runs do not change it."""
    found = call.exchange(params.exchange)
    category = "_".join(params.category.lower().replace("_", " ").split())
    with call.space.editing:
        held = call.space.annotations.of([found])[found.id]
        call.check_unchanged(held)
        return call.space.annotations.correct(
            found, Role(params.side), category=category, importance=params.importance
        )
