"""Steps with the spaces of a home."""

from contextlib import closing

from unabridged.stores.copy_space import copy


def merge(spaces, source, into):
    """Copy what a space lacks from another one, and return how many exchanges were added."""
    with closing(spaces.open(source, create=False)) as giver, closing(spaces.open(into)) as taker:
        return copy(giver, taker).exchanges
