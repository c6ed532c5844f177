"""A process that appends to a store and says what was acknowledged. Run by the fault tests.

Usage: writer.py PATH SESSION COUNT NAME [PAUSE]
"""

import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Message, Role, Text
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.session import Session
from unabridged.domain.write import Batch
from unabridged.errors import HeadMovedError
from unabridged.stores.sqlite import SqliteStore

AT = datetime(2026, 3, 1, tzinfo=UTC)
FILLER = "some more words to fill a page or two " * 20


def append(store, session, exchange, message, *, known=None):
    """Append with compare and swap, again and again until it is taken."""
    while True:
        header = store.session(session) or Session(session, "", AT, AT)
        last = store.recent(session, 1)
        parent = known.parent if known else (last[0].id if last else None)
        said = replace(message, parent=header.head)
        news = replace(exchange, messages=(said,), parent=parent)
        record = Record(RecordKind.CONTEXT, exchange.id, AT, {"of": exchange.id}, (exchange.id,))
        try:
            batch = Batch(replace(header, head=said.id), news, records=(record,))
            store.append(batch, header.head)
        except HeadMovedError:
            continue
        return news


def main():
    """Write; print ``begun ID`` and ``done ID`` after each is acknowledged."""
    path, session, count, name = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4]
    store = SqliteStore(path)
    for number in range(count):
        ident = f"{name}-{number:06}"
        user = Message(f"{ident}-u", Role.USER, (Text(f"{ident} asks {FILLER}"),), AT)
        exchange = Exchange(ident, session, None, ExchangeState.OPEN, (), AT)
        opened = append(store, session, exchange, user)
        print("begun", ident, flush=True)
        if name.startswith("pair"):
            answer = Message(f"{ident}-a", Role.ASSISTANT, (Text(f"{ident} says {FILLER}"),), AT)
            complete = replace(exchange, state=ExchangeState.COMPLETE)
            append(store, session, complete, answer, known=opened)
            print("done", ident, flush=True)
    store.close()


if __name__ == "__main__":
    main()
