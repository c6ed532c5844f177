"""Hand out the inside of an object: the one place in the tests that reads private attributes.

A test that works through the public API or a port needs nothing of this file.
"""

import atexit
import threading
from contextlib import contextmanager

from unabridged.testing.stores_lookup import index_of


def store_of(memory):
    """Return the store of a memory, or of a space."""
    return getattr(memory, "space", memory).dependencies.store


def counter_of(memory):
    """Return the counter that a memory fills its prompts with."""
    return memory.space.counter(memory.space.info(memory.asked))


def use_settings(memory, settings):
    """Give an open memory other settings, for its windows too."""
    memory.space.settings = settings
    memory.space.dependencies.upstream_info._settings = settings


def database_of(owner):
    """Return the SQLite database of a store."""
    return owner._db


def entries_of(store):
    """Return the exchanges of a store in memory, by id."""
    return store._entries


def connection_of(owner):
    """Return the SQLite connection of a store or of a database."""
    return getattr(owner, "_db", owner)._connection


def snapshot_of(store):
    """Return what the search index of a store holds in memory."""
    return index_of(store)._snapshot


def storage_of(store):
    """Return where the search index of a store keeps its segments."""
    return index_of(store)._storage


def flush(store, *, merge=True):
    """Write what the search index of a store holds in memory."""
    index_of(store)._flush(None if merge else 0)


def put_again(store, names):
    """Put exchanges into the search index of a store once more."""
    index_of(store)._put_again(names, embed=False)


def count_from(talk, number):
    """Let a talk number its next message ``number + 1``."""
    talk._count = number


def threads_of(memory):
    """Return the threads of an ``AsyncMemory``."""
    return memory._threads


def end_without_loop(memory, task):
    """Finish the work of an ``AsyncMemory`` whose loop was closed with a task in it; close it."""
    memory._threads._work.shutdown()
    memory._sync.close()
    task._log_destroy_pending = False


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


def run_what_ends_python():
    """Wait for threads, then call what ``atexit`` keeps: what Python does before it takes itself apart."""
    threading._shutdown()
    atexit._run_exitfuncs()
