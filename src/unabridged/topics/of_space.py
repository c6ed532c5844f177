"""Find the topics of a space."""

from datetime import datetime

from unabridged.condense.topic_words import beginning
from unabridged.domain.exchange import Exchange
from unabridged.domain.topic import Moved, Topic, TopicItem
from unabridged.log.iterate import everything
from unabridged.ports import Embedder, Store
from unabridged.retrieval.passages import sides

USER_PART, ANSWER_PART = 800, 400
"""Characters of the two sides that decide the topic of an exchange; none of it is stored."""
_AT_ONCE = 512


def topics(
    store: Store,
    embedder: Embedder | None = None,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    session: str | None = None,
    moved: Moved | None = None,
) -> list[Topic]:
    """Find the topics of a space, or of a part of it.

    ``since`` is inclusive, ``until`` is not.

    Returns:
        The topics, those with the most exchanges first; last the one of exchanges without a topic.
        Every exchange is in exactly one.

    Raises:
        StoreError: The space cannot be read.
        UpstreamError: The embedding server failed.
    """
    from unabridged.condense import topics as condensed  # noqa: PLC0415 - imports numpy

    tell = moved or condensed.unmoved
    total = store.totals().exchanges
    items = []
    for done, exchange in enumerate(everything(store)):
        if done % _AT_ONCE == 0:
            tell("Loading", done, total)
        if (
            (session is None or exchange.session == session)
            and (since is None or exchange.at >= since)
            and (until is None or exchange.at < until)
        ):
            items.append(_item(exchange))
    return condensed.topics(items, embedder, tell)


def _item(exchange: Exchange) -> TopicItem:
    user, answer = sides(exchange)
    tokens = sum(message.tokens or 0 for message in exchange.messages)
    head, tail = beginning(user, USER_PART), beginning(answer, ANSWER_PART)
    return TopicItem(exchange.id, exchange.session, exchange.at, head, tail, tokens)
