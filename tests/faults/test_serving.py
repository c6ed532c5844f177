"""A server before a failing upstream, and one that is killed: the short forms of two programs."""

import os
from random import Random

import pytest
from tests.faults import faulty, serve_kills, upstream_faults

from unabridged import config
from unabridged.factory.space_pool import SpacePool

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs POSIX processes"),
]


@pytest.mark.parametrize("store", ["sqlite", pytest.param("files", marks=pytest.mark.long)])
def test_a_failing_upstream_loses_and_doubles_nothing(store):
    tally = upstream_faults.run(28, 3, store)
    assert tally.faults == 28
    assert set(tally.kinds) == set(faulty.KINDS)
    assert not tally.failed, tally.wrong


@pytest.mark.parametrize("store", ["sqlite", pytest.param("files", marks=pytest.mark.long)])
def test_a_kill_in_mid_stream_loses_nothing(store):
    tally = serve_kills.run(4, 5, store)
    assert tally.kills == 4
    assert tally.asked
    assert not tally.failed, tally.wrong


def test_a_server_that_does_not_store_first_is_found_out(tmp_path):
    """The programs can fail: questions that are not in memory are noticed."""
    empty = SpacePool(config.load(home=tmp_path, environ={}))
    behind = serve_kills.Behind(Random(0))
    try:
        behind.reached.add("Page 0-0 asks number 1 of boxes.")
        tally = serve_kills.Tally()
        serve_kills.judge(empty, behind, [], tally, whole=False)
        assert tally.lost == 1
    finally:
        behind.server.close()
        empty.close()
