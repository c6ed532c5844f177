"""Forgetting at random, and killed in its midst, in short form; and proof that both can fail.

The long forms are ``python -m tests.faults.forgetting`` and ``… .forget_kills``.
"""

import os

import pytest
from tests.faults import forget_kills, forgetting

from unabridged.stores.sqlite import wipe_free_pages
from unabridged.stores.sqlite.database import SqliteConnection

STORES = ("sqlite", "files")
FAULTS = ("left", "closed", "reported_left", "lost", "unsound")


@pytest.mark.slow
@pytest.mark.parametrize("store", STORES)
def test_no_byte_is_left_in_the_home(store):
    report = forgetting.run(12, 3, store)
    assert report["forgettings"] == 12
    assert report["secrets"] > 12
    assert {name: report[name] for name in FAULTS} == dict.fromkeys(FAULTS, 0), report["where"]


@pytest.mark.long
def test_a_store_that_does_not_wipe_is_found_out(monkeypatch):
    monkeypatch.setattr(SqliteConnection, "purge", lambda _: True)
    monkeypatch.setattr(wipe_free_pages, "scrub", lambda *_: 0)
    report = forgetting.run(6, 3)
    assert report["left"] > 0


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs POSIX processes")
@pytest.mark.parametrize("store", STORES)
def test_a_kill_leaves_it_not_begun_or_finished(store):
    report = forget_kills.run(15, 1, store)
    assert report["wrong"] == []
    assert report["killed"] == 15
    assert report["finished"] > 0


@pytest.mark.long
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs POSIX processes")
def test_what_is_not_finished_on_opening_is_found_out(monkeypatch):
    monkeypatch.setattr("unabridged.factory.open_memory.finish_forgetting", lambda *_: None)
    report = forget_kills.run(8, 1)
    assert report["wrong"]
