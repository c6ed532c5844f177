"""What is in memory, read path by path."""

from collections import Counter

from tests.helpers.talker import talking

from unabridged.domain.scope import Scope


def conversations(served, scope=None):
    """Every conversation of a space."""
    with talking(served.service.pool, scope or Scope()) as memory:
        return list(memory.space.log.transcripts())


def said(exchange):
    """An exchange as a pair of what was asked and what was answered; empty where nothing was."""
    texts = [m.text.strip() for m in exchange.messages[1:] if m.role == "assistant" and m.text]
    return (exchange.user.text.strip(), texts[-1] if texts else "")


def path(conversation, exchange):
    """The way to an exchange, as pairs."""
    known = {one.id: one for one in conversation.exchanges}
    found = []
    while exchange is not None:
        found.append(said(exchange))
        exchange = known[exchange.parent] if exchange.parent else None
    return tuple(reversed(found))


def paths(served, scope=None):
    """How often each path is held, one for each exchange."""
    return Counter(
        path(conversation, exchange)
        for conversation in conversations(served, scope)
        for exchange in conversation.exchanges
    )


def states(served, scope=None):
    """How many exchanges are in which state."""
    return Counter(
        str(exchange.state)
        for conversation in conversations(served, scope)
        for exchange in conversation.exchanges
    )


def words(served, scope=None):
    """Everything that anybody is held to have said, one text a message."""
    return [
        message.text
        for conversation in conversations(served, scope)
        for exchange in conversation.exchanges
        for message in exchange.messages
    ]


def check(served, pages, scope=None, *, sessions=None):
    """Nothing is lost, doubled, put elsewhere or kept of a side request."""
    wanted = set().union(*(page.shown for page in pages))
    held = paths(served, scope)
    lost, doubled = wanted - held.keys(), [one for one, many in held.items() if many > 1]
    foreign = held.keys() - wanted
    assert not lost, f"lost: {lost}"
    assert not foreign, f"nobody said: {foreign}"
    assert not doubled, f"doubled: {doubled}"
    text = "\n".join(words(served, scope))
    for page in pages:
        for aside in page.aside:
            assert aside not in text, f"kept of a side request: {aside!r}"
    found = conversations(served, scope)
    for page in pages:
        homes = {
            one.session.id
            for one in found
            for exchange in one.exchanges
            if path(one, exchange) in page.shown
        }
        assert len(homes) == 1, f"one chat lies in {len(homes)} sessions"
    if sessions is not None:
        assert len(found) == sessions
