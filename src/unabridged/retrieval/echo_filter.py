"""Leave out what ``quote`` answered: it repeats what is stored, or says a stock phrase."""

from unabridged.domain.exchange import QUOTING, Exchange
from unabridged.domain.message import Message, Role
from unabridged.language.questions import only_asks


def only_quotes(exchange: Exchange) -> bool:
    """Return whether an exchange is only a question and quotations, which are found at their source."""
    return exchange.model == QUOTING and only_asks(exchange.user.text)


def own_messages(exchange: Exchange) -> list[Message]:
    """Return the messages of an exchange without what ``quote`` answered."""
    is_quoted = exchange.model == QUOTING
    return [m for m in exchange.messages if not (is_quoted and m.role is Role.ASSISTANT)]
