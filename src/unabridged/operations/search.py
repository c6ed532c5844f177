"""Looking things up: searching, the accounts of past contexts, figures, spaces."""

from typing import Annotated

from msgspec import Meta

from unabridged.domain.results import ContextReport, SearchResult, Stats
from unabridged.errors import NotFoundError
from unabridged.factory.home import Home
from unabridged.operations.call import Call
from unabridged.operations.operation import Effect, Name, Page, Params, Words, operation
from unabridged.operations.operation_results import SpaceLine

MOST_FOUND = 100
"""Exchanges that one search gives."""


class SearchBody(Params):
    """What to search for.

    Attributes:
        query: Words, a question, a time: anything that bears on what is sought.
        limit: The most exchanges.
    """

    query: Words
    limit: Annotated[int, Meta(ge=1, le=MOST_FOUND)] = 10


@operation("search", "POST /search", "Exchanges, best first.", effect=Effect.READS)
def search(call: Call, params: SearchBody) -> Page[SearchResult]:
    """Find exchanges by words, meaning and time, best first; each whole, with its session."""
    narrow = call.scope.session is not None
    found = call.space.search(params.query, MOST_FOUND if narrow else params.limit)
    return Page([f for f in found if call.reaches(f.exchange.session)][: params.limit])


@operation("contexts.get", "GET /contexts/{context}", "The account of every token and candidate.")
def get_context(call: Call, context: Name) -> ContextReport:
    """Account for a context that was begun, and render it again; `last` stands for the newest."""
    account = call.space.contexts.why(None if context == "last" else context)
    try:
        call.exchange(account.id)
    except NotFoundError:
        hint = "Its id is that of the exchange it was prepared for."
        raise NotFoundError(f"There is no context {context!r}.", hint=hint) from None
    return account


@operation("stats", "GET /stats", "Figures of the space.", tag="spaces", whole=True)
def stats(call: Call) -> Stats:
    """Give the figures of the space that the request falls into."""
    return call.space.stats()


@operation("spaces.list", "GET /spaces", "Spaces by name.", whole=True)
def list_spaces(call: Call) -> Page[SpaceLine]:
    """List the spaces that the key reaches."""
    lines = [
        SpaceLine(
            name=info.space.name,
            user=info.space.user,
            agent=info.space.agent,
            model=info.space.model,
            sessions=info.sessions,
            exchanges=info.exchanges,
            bytes=info.bytes,
            damaged=info.damaged,
        )
        for info in Home(call.pool.settings).spaces()
        if info.space is not None and call.reaches_space(info.space)
    ]
    return Page(sorted(lines, key=lambda line: line.name))
