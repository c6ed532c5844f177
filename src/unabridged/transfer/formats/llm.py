"""The log of Simon Willison's ``llm``: ``logs.db``, an SQLite file.

Two generations of tables, often in one file. Older: ``responses`` (``prompt``, ``response``,
``reasoning``, ``model``, ``conversation_id``, ``datetime_utc``) with ``conversations``,
``prompt_fragments``, ``prompt_attachments``, ``tool_calls`` and ``tool_results``; a call is in the
response that made it, its result in the one that got it. Since 0.32: ``threads``, ``turns``,
``messages`` (a tree by ``parent_hash``) and ``parts``; a conversation that continues after the update
is a thread of the same id, whose messages begin with what ``responses`` has. Threads that are forks
are branches. Facts: docs/logging.md, llm/migrations.py and llm/logs.py of github.com/simonw/llm,
and files that its releases 0.27.1 and 0.36 wrote.
"""

from collections.abc import Iterator
from typing import BinaryIO

from unabridged.domain.results import SkippedRecord
from unabridged.errors import UnknownFormatError
from unabridged.transfer.build_conversation import ImportOrigin, build_transcript, outcome
from unabridged.transfer.foreign_database import MAGIC, ForeignDatabase
from unabridged.transfer.foreign_format import Format
from unabridged.transfer.formats.llm_log import Attachments, LlmLogTables
from unabridged.transfer.formats.llm_threads import Threads
from unabridged.transfer.lenient_fields import Reasons
from unabridged.transfer.reader import Item
from unabridged.transfer.records import JsonRecord

_OLDEST = "log"


def read_file(stream: BinaryIO) -> Iterator[Item]:
    """Read conversations.

    Raises:
        UnknownFormatError: It is another program's file, or too damaged to open.
    """
    database = ForeignDatabase(stream)
    try:
        if not {"responses", "turns", _OLDEST} & database.tables.keys():
            seen = ", ".join(repr(name) for name in sorted(database.tables)[:5]) or "no tables"
            raise UnknownFormatError(
                f"The file is an SQLite file, but not llm's log: it has {seen}.",
                hint="Export its content with the program that wrote it, and import the export.",
            )
        yield from _conversations(database)
    finally:
        database.close()


def _conversations(database: ForeignDatabase) -> Iterator[Item]:
    attachments = Attachments(database)
    log, threads = LlmLogTables(database, attachments), Threads(database, attachments)
    older = sum(1 for _ in database.rows(_OLDEST, "id"))
    if older:
        yield SkippedRecord(
            f"table {_OLDEST}", f"{older:,} prompts of llm before 0.4: open it once with llm"
        )
    for name in dict.fromkeys((*log.names(), *threads.names())):
        reasons = Reasons()
        messages, current = threads.messages(name, log.messages(name, reasons), reasons)
        title = log.title(name) or threads.title(name)
        woven = build_transcript(ImportOrigin(FORMAT.name, name, title, current=current), messages)
        yield from _faults(database)
        yield from outcome(JsonRecord(f"conversation {name}", None), woven, reasons)
    yield from _faults(database)


def _faults(database: ForeignDatabase) -> Iterator[SkippedRecord]:
    # Report what could not be read since the last time.
    while database.faults:
        where, reason = database.faults.pop(0)
        yield SkippedRecord(where, reason)


FORMAT = Format("llm", "llm's log (logs.db)", magic=MAGIC, read_file=read_file)
