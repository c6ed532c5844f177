"""The digest of a whole space, to compare spaces by."""

from unabridged.domain.record import RecordKind
from unabridged.log.iterate import everything
from unabridged.stores.space_digest import Digest


def digest_of(store):
    """Return the digest of everything that a space holds."""
    found = Digest()
    for session in store.sessions():
        found.add(session)
    for exchange in everything(store):
        found.add(exchange)
    for kind in RecordKind:
        for record in store.records(kind):
            found.add(record)
    return found
