"""Hostile imports: mutated and made-up files of every format, read in this process.

``python -m tests.faults.imports --count 50000 --seed 1`` prints one line of JSON. A crash is any error
that is not a typed one of ``unabridged``, a conversation that does not hang together, a reading that
takes longer than ``SLOW`` seconds, or a conversation that a memory holds in part. The same seed makes
the same files; ``--only N`` shows one of them.
"""

import argparse
import json
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path
from random import Random

from tests.faults.making import Maker
from tests.helpers.talker import Talker

from unabridged.domain.fact import Requirement
from unabridged.domain.message import Role
from unabridged.domain.record import Record
from unabridged.domain.results import SkippedRecord, Transcript
from unabridged.domain.settings import Settings
from unabridged.errors import TransferError, UnabridgedError
from unabridged.transfer.detect_format import open_file
from unabridged.transfer.formats.table import FORMATS

SLOW = 20
MEMORY = 3 << 30
"""Bytes of address space that all of it may take."""
SHOWN = 20
_NAMES = (*[None] * 40, *(each.name for each in FORMATS))


class BadlyWovenError(Exception):
    """A conversation that does not hang together, or is held in part."""


class TooSlowError(Exception):
    """A file that took too long."""


def hangs_together(conversation):
    """Check that parents come first, users open exchanges, and no id is there twice."""
    seen, ids = set(), set()
    for exchange in conversation.exchanges:
        if exchange.id in seen or exchange.session != conversation.session.id:
            raise BadlyWovenError("an exchange twice, or of another session")
        if exchange.parent is not None and exchange.parent not in seen:
            raise BadlyWovenError("an exchange before its parent")
        if not exchange.messages or exchange.user.role is not Role.USER:
            raise BadlyWovenError("an exchange without a user message")
        later = [message.id for message in exchange.messages[1:]]
        if len(set(later)) < len(later) or ids & set(later):
            raise BadlyWovenError("a message twice")
        ids.update(later)
        ids.add(exchange.user.id)
        seen.add(exchange.id)
    if conversation.session.head is not None and conversation.session.head not in ids:
        raise BadlyWovenError("a head that is no message")


def read(data, name, tally):
    """Read one file to its end, or to the error that refuses it."""
    conversations = []
    try:
        with open_file(data, format=name) as reader:
            for item in reader:
                if isinstance(item, Transcript):
                    hangs_together(item)
                    conversations.append(item)
                elif isinstance(item, SkippedRecord):
                    tally["unread"] += 1
                elif not isinstance(item, (Requirement, Record)):
                    raise BadlyWovenError(f"gave a {type(item).__name__}")
        tally["read"] += 1
    except TransferError as error:
        if not error.hint:
            raise BadlyWovenError("an error without a hint") from error
        tally["refused"] += 1
    tally["conversations"] += len(conversations)
    return conversations


def admit(memory, conversation, tally):
    """Store a conversation: whole, or not at all with a typed error."""
    before = memory.space.log.count_known(conversation)
    try:
        added = memory.import_transcript(conversation)
    except UnabridgedError:
        tally["not admitted"] += 1
        if memory.space.log.count_known(conversation) != before:
            raise BadlyWovenError("refused, and held in part") from None
        return
    tally["admitted"] += 1
    if memory.space.log.count_known(conversation) != len(conversation.exchanges) or added > len(
        conversation.exchanges
    ):
        raise BadlyWovenError("admitted, and not held whole")
    if memory.import_transcript(conversation):
        raise BadlyWovenError("admitted twice")


def run(count, seed, start=0, memory=None, seconds=None):
    """Read so many files, or as many as so many seconds allow; give figures and the first crashes."""
    maker, tally, crashes = Maker(), Counter(), []
    began = time.monotonic()
    signal.signal(signal.SIGPROF, _too_slow)
    done = 0
    for number in range(start, start + count):
        if seconds is not None and time.monotonic() - began > seconds:
            break
        done += 1
        chance = Random(f"{seed}:{number}")
        stream, kind = maker.make(chance)
        name = chance.choice(_NAMES)
        tally[kind] += 1
        try:
            signal.setitimer(signal.ITIMER_PROF, SLOW)
            conversations = read(stream, name, tally)
            for conversation in conversations if memory else ():
                admit(memory, conversation, tally)
        except Exception as error:  # noqa: BLE001 - a crash is what is looked for
            last = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{Path(last.filename).name}:{last.lineno}"
            traceback.clear_frames(error.__traceback__)
            crashes.append(
                {"number": number, "error": f"{error!r}"[:200], "at": place, "format": name}
            )
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    figures = {
        "runs": done,
        "crashes": len(crashes),
        "seed": seed,
        "start": start,
        "peak_mib": peak,
    }
    figures["seconds"] = round(time.monotonic() - began)
    return {**figures, **dict(sorted(tally.items())), "first": crashes[:SHOWN]}


def _too_slow(*_):
    raise TooSlowError


def guarded():
    """Bound memory from here on."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--seconds", type=int, help="Stop after so many, whatever the count is.")
    parser.add_argument("--only", type=int, help="Write one of the files to standard output.")
    parser.add_argument("--admit", choices=["memory", "sqlite"], help="Store them too.")
    chosen = parser.parse_args(words)
    if chosen.only is not None:
        stream, _ = Maker().make(Random(f"{chosen.seed}:{chosen.only}"))
        sys.stdout.buffer.write(stream.read())
        return 0
    guarded()
    if chosen.admit is None:
        figures = run(chosen.count, chosen.seed, chosen.start, seconds=chosen.seconds)
    else:
        with (
            tempfile.TemporaryDirectory() as home,
            Talker.open(settings=Settings(home=home, store=chosen.admit)) as memory,
        ):
            figures = run(chosen.count, chosen.seed, chosen.start, memory, chosen.seconds)
    print(json.dumps(figures))
    return 1 if figures["crashes"] else 0


if __name__ == "__main__":
    sys.exit(main())
