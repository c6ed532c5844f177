"""Conversations that are imported together are stored as one by one, all or none."""

from dataclasses import replace

import pytest

from bench.generator import SHORT, TalkGenerator
from unabridged.domain.scope import SpaceId
from unabridged.errors import DuplicateIdError
from unabridged.stores.sqlite.store import SqliteStore


@pytest.fixture
def talks():
    return list(TalkGenerator(3, SHORT).conversations(35))


def opened(path):
    return SqliteStore(path, SpaceId())


def held(store):
    sessions = sorted(store.sessions(), key=lambda one: one.id)
    return [(one, store.exchanges_of(one.id)) for one in sessions], store.totals().exchanges


def test_together_is_as_one_by_one(tmp_path, talks):
    together, alone = opened(tmp_path / "a.db"), opened(tmp_path / "b.db")
    assert together.import_sessions(talks) == [len(one.exchanges) for one in talks]
    for one in talks:
        alone.import_session(one.session, one.exchanges)
    assert held(together) == held(alone)
    assert together.check() == alone.check() == []
    assert together.chain_head().links == alone.chain_head().links
    assert together.import_sessions(talks) == [0] * len(talks)
    together.close()
    alone.close()


def test_one_that_is_refused_leaves_none(tmp_path, talks):
    store = opened(tmp_path / "a.db")
    first, *rest = talks
    store.import_sessions([first])
    exchange = rest[-1].exchanges[0]
    taken = replace(exchange.messages[0], id=first.exchanges[0].messages[0].id)
    stray = replace(exchange, messages=(taken, *exchange.messages[1:]))
    bad = replace(rest[-1], exchanges=(stray, *rest[-1].exchanges[1:]))
    with pytest.raises(DuplicateIdError):
        store.import_sessions([*rest[:-1], bad])
    assert [one.id for one in store.sessions()] == [first.session.id]
    assert store.check() == []
    store.close()


def test_a_held_block_writes_projections_at_its_end(tmp_path, talks):
    class Following:
        def __init__(self):
            self.seen = []

        def follow(self, written=None):
            self.seen.append(sorted(written.exchanges))

        def close(self):
            pass

    store, following = opened(tmp_path / "a.db"), Following()
    store.attach(following)
    with store.hold_files():
        for one in talks:
            store.import_sessions([one])
        assert following.seen == []
    assert following.seen == [sorted(each.id for one in talks for each in one.exchanges)]
    store.close()
