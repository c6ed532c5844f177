"""Hand out the inside of an object: the one place in the tests that reads private attributes.

A test that works through the public API or a port needs nothing of this file.
"""

from contextlib import contextmanager


def store_of(memory):
    """Return the store of a memory."""
    return memory._store


def counter_of(memory):
    """Return the counter that a memory fills its prompts with."""
    return memory._preparer.counter(memory._terms())


def forget_stored_texts(memory):
    """Make a memory look again which texts of prompts are stored."""
    memory._texts._held.clear()


def use_settings(memory, settings):
    """Give an open memory other settings, for its windows too."""
    memory.settings = settings
    memory._parts.terms_of._settings = settings


def database_of(owner):
    """Return the SQLite database of a store or of its search index."""
    return owner._db


def connection_of(owner):
    """Return the SQLite connection of a store, of its search index or of a database."""
    return getattr(owner, "_db", owner)._connection


def index_of(store):
    """Return the search index of a store."""
    return store._index


def sealer_of(store):
    """Return what seals the segments of a store's search index."""
    return store._index._sealer


def seal(store, *, tidy=False):
    """Seal a segment in a transaction of the store's search index."""
    with store._index.writing():
        store._index._sealer.seal()
        if tidy:
            store._index._sealer.tidy(None)


def begin_rebuild(store):
    """Begin to build a store's search index again, in a transaction that is open."""
    store._index._mender.begin_anew()


def refresh_view(store):
    """Let readers see what the open transaction of the search index wrote."""
    store._index._sight.refresh()


def count_from(talk, number):
    """Let a talk number its next message ``number + 1``."""
    talk._count = number


def transport_of(client):
    """Return the HTTP client of an ``ollama`` client, which cannot be closed itself."""
    return client._client


def answer_also(server, routes):
    """Add routes to a test server that runs."""
    server._routes = {**server._routes, **routes}


@contextmanager
def unaware(book):
    """Let a book of requirements see nothing that others write meanwhile."""
    seen = book._view()
    book._view = lambda: seen
    try:
        yield
    finally:
        del book._view
