"""Taking up the chain of a file when it is opened; beginning one where there was none."""

from dataclasses import replace
from pathlib import Path

import apsw

from unabridged.domain.chain import Signet
from unabridged.domain.proof import Sealed
from unabridged.errors import StoreDamagedError
from unabridged.stores.codec import unpack
from unabridged.stores.guard import Guard, fields_of
from unabridged.stores.sqlite import faults, reading, seal, verifying
from unabridged.stores.sqlite.database import Database
from unabridged.stores.sqlite.rows import (
    Row,
    link_of,
    message_of,
    meta_row,
    name_of,
    new_generation,
    plain,
)
from unabridged.stores.sqlite.statements import statements
from unabridged.stores.sqlite.witness import Witness, mooring_of, name_in_anchor, refuse_key

_TABLES = (
    ("session", "digests of sessions", "stamp session"),
    ("exchange", "digests of exchanges", "stamp exchange"),
    ("record", "digests of records", "stamp record"),
)


def first_row(uuid: str, space: dict[str, str], signet: Signet) -> Row:
    """Give the seal of a new file as a row."""
    first = seal.Seal(uuid=uuid, space=space, mark=signet.mark)
    return seal.stamped(signet, "seal", first.row())


def name_space(
    connection: apsw.Connection, path: Path, space: dict[str, str], signet: Signet
) -> None:
    """Let a file hold another space; inside a transaction of a file that nobody else has open.

    Raises:
        StoreKeyError: It is sealed under another key.
        StoreTamperedError: Its seal is not what was written.
    """
    sql = statements()
    connection.execute(sql["set meta"], meta_row("space", space))
    if connection.execute(sql["has chain"]).fetchone() is None:
        return
    for row in connection.execute(sql["seal"]).fetchall():
        now = seal.from_row(row, path)
        if now.space == space:
            continue
        if now.mark and now.mark != signet.mark:
            raise refuse_key(path, now.mark, signet.mark)
        mine = signet if now.mark else Signet()
        seal.prove(path, mine, "seal", row)
        now.space = space
        now.writes += 1
        connection.execute(sql["set seal"], seal.stamped(mine, "seal", now.row()))


def renew_generation(connection: apsw.Connection) -> None:
    """Let nothing that followed a file before it was restored be taken for current."""
    connection.execute(statements()["set meta"], meta_row("generation", new_generation()))


def take_up(db: Database, guard: Guard) -> None:
    """Let everything that is read and written be proved from now on.

    A file without a chain gets one, if it can be written. A damaged one gets none: its rows show
    what is damaged, and stay as they are.

    Raises:
        StoreKeyError: It was not sealed under the key, and is not to be now.
        StoreTamperedError: It is not as far as the anchor says, or its seal is not what was written.
    """
    witness = Witness(db, guard)
    check_anchor(db, guard)
    found = _load(db)
    if not guard.strict and (found is None or not found.mark):
        if found is None:
            return
        guard = replace(guard, signet=Signet())
        witness = Witness(db, guard)
    if found is None or (guard.signet.mark and found.mark != guard.signet.mark):
        if found is not None and found.mark:
            raise refuse_key(db.path, found.mark, guard.signet.mark)
        if guard.signet.mark and not guard.adopts and not _is_empty(db):
            raise refuse_key(db.path, "", guard.signet.mark)
        if not db.writable:
            return
        found = _adopt(db, witness)
        if found is None:
            return
    db.watcher = witness
    db.signet = guard.signet if found.mark == guard.signet.mark else None


def _load(db: Database) -> seal.Seal | None:
    with db.read():
        if db.one("has chain") is None:
            return None
        found = seal.load(db)
        if found is None:
            if db.one("any link") is not None:
                raise faults.tampered(db.path, "its seal is gone.")
            return None
        said = reading.meta(db, "space")
    if said is not None and found[0].space not in ({}, unpack(said)):
        raise faults.tampered(db.path, "it is the file of another space.")
    return found[0]


def _uuid(db: Database) -> str:
    with db.read():
        said = reading.meta(db, "uuid")
    if said is None:
        raise faults.damaged(db.path, "it does not say which file it is.")
    return str(unpack(said))


def _is_empty(db: Database) -> bool:
    with db.read():
        return db.one("how many exchanges") == (0,)


def check_anchor(db: Database, guard: Guard) -> None:
    """Compare a file with what the anchor remembers of it; an unknown one is noted.

    Raises:
        StoreTamperedError: It is behind, or went another way.
    """
    anchor = guard.anchor
    if anchor is None:
        return
    known_as = name_in_anchor(db, _uuid(db))
    held = anchor.recall(known_as)  # first: others may write meanwhile
    with db.read():
        found = seal.load(db) if db.one("has chain") else None
        if found is None:
            if held is not None:
                raise faults.tampered(
                    db.path, f"its chain is gone; the anchor {anchor.path} knows it."
                )
            return
        now, digest = found
        there = mooring_of(db, now, digest)
        if held is None:
            known = True
        elif held.mark != now.mark:
            known = any(
                held.number == one["number"] and held.root == one["root"] for one in now.past
            )
        elif there.writes == held.writes:
            known = there.state == held.state
        else:
            row = db.one("root of a number", (held.number,))
            root = row[0].hex() if row else ("" if held.number else held.root)
            known = there.writes > held.writes and root == held.root
    if not known and held is not None:
        raise faults.tampered(
            db.path,
            f"it is not the file that the anchor {anchor.path} remembers, or an older one: "
            f"write {there.writes}, message {there.number}, root {there.root}; the anchor has "
            f"write {held.writes}, message {held.number}, root {held.root}.",
        )
    if held is None or held.writes < there.writes or held.mark != there.mark:
        anchor.remember(known_as, there, anew=held is not None and held.mark != there.mark)


def sealed(db: Database) -> Sealed | None:
    """How far the chain of a file has come; None where it has none."""
    found = seal.load(db) if db.one("has chain") else None
    if found is None:
        return None
    now = found[0]
    return Sealed(
        mark=now.mark,
        since=now.since,
        found=now.found,
        links=now.links,
        forgotten=(db.one("how many forgotten") or (0,))[0],
        writes=now.writes,
        root=now.root,
    )


def anchor_anew(db: Database, guard: Guard) -> None:
    """Let the anchor remember a file as it is now: a backup was put back by right."""
    if guard.anchor is not None:
        with db.read():
            found = seal.load(db)
        if found is not None:
            name = name_in_anchor(db, found[0].uuid)
            guard.anchor.remember(name, mooring_of(db, *found), anew=True)


def _adopt(db: Database, witness: Witness) -> seal.Seal | None:
    """Seal a file from what is there; None where that is damaged and there is no key."""
    guard = witness.guard
    try:
        uuid = _uuid(db)
        db.watcher = witness
        with db.write():
            found = seal.load(db)
            if found is not None and found[0].mark == guard.signet.mark:
                return found[0]  # another process was faster
            if found is not None:
                _refuse_flaws(db)
            first = _first(db, guard, uuid, found[0] if found else None)
            witness.start(first)
            if found is None:
                _link_all(db, witness)
            else:
                _relink_all(db, witness)
            _count_rows(db, witness)
            return first
    except StoreDamagedError:
        if guard.signet.mark or guard.adopts:
            raise
        return None
    finally:
        db.watcher = None


def _first(db: Database, guard: Guard, uuid: str, old: seal.Seal | None) -> seal.Seal:
    found = old.number if old else (db.one("newest message") or (0,))[0]
    said = reading.meta(db, "space")
    first = seal.Seal(
        uuid=uuid,
        space={} if said is None else unpack(said),
        mark=guard.signet.mark,
        since=guard.now().isoformat() if guard.now and found else "",
        found=(db.one("how many messages") or (0,))[0],
    )
    if old is None:
        return first
    now = {"mark": old.mark, "number": old.number, "root": old.root, "since": old.since}
    return replace(first, writes=old.writes, past=[*old.past, now])


def _refuse_flaws(db: Database) -> None:
    flaws = next(verifying.flaws(db, Signet()), "")
    if flaws:
        raise faults.tampered(db.path, f"it cannot be sealed under a key: {flaws}")


def _link_all(db: Database, witness: Witness) -> None:
    for *row, session in db.run("every message with its session"):
        message = message_of(tuple(row), db.path)
        if session is None:
            raise faults.damaged(db.path, f"the exchange of message {message.id!r} is gone.")
        witness.link(row[0], name_of(row[2]), name_of(session), message)


def _relink_all(db: Database, witness: Witness) -> None:
    db.run("clear chains")
    for found in db.run("every link with its message"):
        link, session, row = link_of(found[:10], db.path), found[10], found[12:]
        if row[0] is None:
            witness.relink(link, "", b"", ())
            continue
        message = message_of(row, db.path)
        held = witness.signet.held(link.number, name_of(row[2]), message.parent)
        witness.relink(link, name_of(session), held, fields_of(message))


def _count_rows(db: Database, witness: Witness) -> None:
    for table, digests, stamp in _TABLES:
        for name, digest in db.rows(digests):
            bare = plain(digest)
            witness.counts(table, bare)
            if witness.signet.mark:
                db.run(stamp, (*seal.stamped(witness.signet, table, (bare,)), name))
