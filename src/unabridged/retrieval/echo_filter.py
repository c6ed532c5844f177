"""Quoting: exchanges that hold nothing of their own, since they were answered out of memory itself."""

from unabridged.domain.exchange import Exchange
from unabridged.language.questions import only_asks

QUOTING = "quote"
"""The model that answers with what was said before."""


def only_quotes(exchange: Exchange) -> bool:
    """Whether an exchange is a question and quotations: what it quotes is found where it was said."""
    return exchange.model == QUOTING and only_asks(exchange.user.text)
