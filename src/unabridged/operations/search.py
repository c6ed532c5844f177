"""Look things up: search, past contexts, topics, figures, spaces."""

from typing import Annotated, Any, Literal

from msgspec import Meta

from unabridged.domain.condensation import Level
from unabridged.domain.results import ContextReport, SearchResult
from unabridged.errors import NotFoundError
from unabridged.operations.call import Call
from unabridged.operations.dates import When, period_of
from unabridged.operations.operation import Effect, Name, Page, Params, Words, operation
from unabridged.operations.operation_results import (
    FactCounts,
    SpaceFigures,
    SpaceLine,
    TopicResult,
    extended,
)

ContextName = Annotated[
    Name, Meta(description="The id of the context, which is that of its exchange; or `last`.")
]
LAST = "last"
"""Instead of the id of a context: the newest."""
MOST_FOUND = 1_000
"""Exchanges of one search; topics of one list."""


class Period(Params, kw_only=True):
    """A part of a space.

    Attributes:
        since: Only exchanges of this date or time and later, such as 2026-05-01.
        until: Only exchanges up to this date, with all of that day, or before this time.
        session: The id of the only session to look in.
    """

    since: When | None = None
    until: When | None = None
    session: Name | None = None


class SearchBody(Period):
    """What to search for.

    Attributes:
        query: Words, a question, a time: anything about what you look for.
        limit: Exchanges to return, at most.
        role: Only exchanges where the message of this role has a word of the query.
        exact: Find the query as it is written, the newest exchanges first.
        min_relevance: Leave out exchanges below this relevance, 0 to 1.
    """

    query: Words
    limit: Annotated[int, Meta(ge=1, le=MOST_FOUND)] = 10
    role: Literal["user", "assistant", "tool"] | None = None
    exact: bool = False
    min_relevance: Annotated[float, Meta(ge=0, le=1)] | None = None


@operation("search", "POST /search", "Exchanges, best first.", effect=Effect.READS, tool="search")
def search(call: Call, params: SearchBody) -> Page[SearchResult]:
    """Find exchanges by words, meaning and time, best first; each whole, with its session."""
    role: dict[str, Any] = {} if params.role is None else {"role": params.role}
    since, until = period_of(params.since, params.until)
    found = call.space.search(
        params.query,
        params.limit,
        reach=_reach(call, params.session),
        since=since,
        until=until,
        exact=params.exact,
        min_relevance=params.min_relevance,
        **role,
    )
    return Page(found)


class TopicList(Period):
    """Which topics to list.

    Attributes:
        limit: Topics to return, at most.
    """

    limit: Annotated[int, Meta(ge=1, le=MOST_FOUND)] = 20


@operation("topics.list", "GET /topics", "Topics, the largest first.", tag="search", tool="topics")
def list_topics(call: Call, params: TopicList) -> Page[TopicResult]:
    """List what was talked about, as topics with their exchanges and dates.

    Every exchange is in exactly one topic. The last topic of the whole list has those that fit no
    other.
    """
    since, until = period_of(params.since, params.until)
    found = call.space.maintenance.topics(
        since=since,
        until=until,
        session=_reach(call, params.session),
        moved=call.moved,
    )
    numbered = list(enumerate(found, 1))[: params.limit]
    return Page([extended(TopicResult, t, number=n, name=t.name) for n, t in numbered])


@operation("contexts.get", "GET /contexts/{context}", "The account of every token and candidate.")
def get_context(call: Call, context: ContextName) -> ContextReport:
    """Explain a context that was sent, and render it again; `last` is the newest."""
    account = call.space.contexts.why(None if context == LAST else context)
    try:
        call.exchange(account.id)
    except NotFoundError:
        raise NotFoundError(
            f"There is no context {context!r}.",
            hint="The id of a context is that of its exchange.",
        ) from None
    return account


@operation("stats", "GET /stats", "The figures.", tag="spaces", whole=True)
def stats(call: Call) -> SpaceFigures:
    """Return the figures of the space."""
    space = call.space
    facts, condensations = space.facts.all(), space.condensations
    return extended(
        SpaceFigures,
        space.stats(),
        unsaved=space.log.unsaved,
        facts=FactCounts(
            current=len(facts),
            pinned=sum(fact.pinned for fact in facts),
            disputed=sum(bool(fact.disputed_by) for fact in facts),
        ),
        condensing=condensations.stats(),
        wholes=sum(c.level is not Level.EXCHANGES for c in condensations.condensations()),
        readings=space.annotations.stats(),
    )


@operation("spaces.list", "GET /spaces", "Spaces by name.", whole=True)
def list_spaces(call: Call) -> Page[SpaceLine]:
    """List the spaces that the key reaches."""
    from unabridged.factory.home import Home  # noqa: PLC0415 - slow, and help needs none of it

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


def _reach(call: Call, session: str | None) -> str | None:
    return call.session(session).id if session is not None else call.scope.session
