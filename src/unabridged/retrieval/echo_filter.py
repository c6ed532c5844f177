"""Finds exchanges that only quote memory and hold nothing new."""

from unabridged.domain.exchange import Exchange
from unabridged.language.questions import only_asks

QUOTING = "quote"
"""The model that answers with quotations."""


def only_quotes(exchange: Exchange) -> bool:
    """Return whether an exchange is a question answered only by quotations."""
    return exchange.model == QUOTING and only_asks(exchange.user.text)
