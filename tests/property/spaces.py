"""Random spaces: branches, tool calls, reasoning, pictures, odd texts, facts and other records."""

from dataclasses import replace
from datetime import timedelta

from hypothesis import strategies as st

from unabridged.domain.annotation import FILE, USER
from unabridged.domain.blob import system_blob
from unabridged.domain.exchange import ExchangeState
from unabridged.domain.message import Image, Reasoning, Text, ToolCall, ToolResult
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.scope import SpaceId
from unabridged.stores.in_memory import InMemoryStore
from unabridged.testing.log_writer import START, LogWriter

TEXTS = st.text(st.characters(codec=None), max_size=12)
PARTS = st.one_of(
    st.builds(Text, TEXTS),
    st.builds(Image, TEXTS),
    st.builds(ToolCall, TEXTS, TEXTS, TEXTS),
    st.builds(ToolResult, TEXTS, TEXTS, TEXTS, failed=st.booleans()),
    st.builds(Reasoning, TEXTS),
)
CONTENT = st.lists(PARTS, min_size=1, max_size=3)
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | TEXTS
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXTS, inner, max_size=2),
    max_leaves=4,
)  # fmt: skip
TOMBSTONE = {"version": 1, "key": "k", "behind": [], "exchanges": []}
CONDENSED = {
    "version": 1, "condensations": [], "upto": "", "tokens": 1, "head": "", "coherence": None,
}  # fmt: skip


def _talk(draw, store, name):
    talk = LogWriter(store, name)
    header = replace(talk.header, title=draw(TEXTS), source=draw(TEXTS))
    talk.header = replace(header, foreign_id=draw(st.none() | TEXTS))
    said = []
    for _ in range(draw(st.integers(0, 4))):
        if said and draw(st.booleans()):
            said.append(talk.regenerate(draw(st.sampled_from(said)), draw(TEXTS)))
            continue
        if said and draw(st.booleans()):
            before = draw(st.sampled_from(said))
            talk.go_to(before.messages[-1].id, before.id)
        begun = talk.begin(draw(CONTENT))
        state = draw(st.sampled_from(ExchangeState))
        said.append(
            talk.answer(begun, draw(CONTENT), state=state) if draw(st.booleans()) else begun
        )
    if said and draw(st.booleans()):
        seen = draw(st.sampled_from(said))
        talk.go_to(seen.messages[-1].id, seen.id)
    archived = START + timedelta(days=draw(st.integers(0, 9))) if draw(st.booleans()) else None
    if said:
        store.set_session(replace(talk.header, archived=archived), talk.header.head)
    return said


def _records(draw, exchange, place):
    drawn, at = (exchange.id,), exchange.at
    reading = {"category": draw(TEXTS), "importance": draw(st.floats(0, 1)), "by": draw(TEXTS)}
    kinds = {
        RecordKind.FACT: ({"text": draw(TEXTS), "pinned": draw(st.booleans())}, drawn),
        RecordKind.READING: ({"scheme": "x", "messages": {draw(TEXTS): reading}}, drawn),
        RecordKind.CONDENSATION: (CONDENSED, drawn),
        RecordKind.CONTEXT: ({"manifest": {draw(TEXTS): draw(PLAIN)}}, drawn),
        RecordKind.OVERVIEW: ({"lines": [], "n": draw(PLAIN)}, ()),
        RecordKind.PROGRESS: ({"n": draw(PLAIN)}, ()),
        RecordKind.TOMBSTONE: ({**TOMBSTONE, "alone": draw(st.lists(TEXTS, max_size=2))}, ()),
    }
    kind = draw(st.sampled_from(sorted(kinds)))
    body, exchanges = kinds[kind]
    if kind is RecordKind.READING and (author := draw(st.sampled_from(["", FILE, USER]))):
        stated = {
            "category": draw(st.none() | TEXTS),
            "importance": draw(st.none() | st.floats(0, 1)),
        }
        return Record(
            kind, f"{author}-{exchange.id}", at, {"messages": {draw(TEXTS): stated}}, drawn
        )
    own = kind in {RecordKind.READING, RecordKind.CONTEXT}
    blobs = (system_blob(draw(TEXTS)),) if kind is RecordKind.CONTEXT else ()
    name = exchange.id if own else f"{place}{draw(TEXTS)}"
    return Record(kind, name, at, body, exchanges, blobs)


@st.composite
def spaces(draw):
    """A store in memory with a few sessions and records."""
    store = InMemoryStore(SpaceId(draw(st.sampled_from(["ada", "日本"])), "helper"))
    said = [
        exchange for name in ("s1", "s2", "s3")[: draw(st.integers(0, 3))] for exchange in _talk(draw, store, name)
    ]  # fmt: skip
    if said:
        count = draw(st.integers(0, 5))
        store.put(_records(draw, draw(st.sampled_from(said)), place) for place in range(count))
    return store


def content(store, without=()):
    """Everything that a space holds, as values."""
    return {
        "sessions": sorted(store.sessions(), key=lambda session: session.id),
        "exchanges": store.scan(limit=1_000_000),
        "paths": {s.id: [x.id for x in store.recent(s.id, 1000)] for s in store.sessions()},
        "records": [r for kind in RecordKind if kind not in without for r in store.records(kind)],
        "totals": replace(store.totals(), bytes=0),
    }
