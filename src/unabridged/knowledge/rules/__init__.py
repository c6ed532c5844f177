"""The rules by which facts are drawn without a model: tables of patterns, and what they must not meet."""

from collections.abc import Iterable

from unabridged.domain.exchange import Exchange
from unabridged.knowledge.statements import Statement

VERSION = "rules-1"
"""By whom a statement is that the rules drew; a change of the rules takes a new one."""


def extract(_exchange: Exchange) -> Iterable[Statement]:
    """Draw statements about the user from what the user said."""
    return ()
