"""Random client histories: nothing lost, duplicated or put into another conversation, by path.

The long form is a command: ``python -m tests.property.client_histories 1000``.
"""

import pytest
from tests.property.client_histories import run

from unabridged.history_sync.position import PositionFinder


def found(world):
    return {**world.broken}, world.notes[:3]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_every_path_holds_what_was_said_on_it(tmp_path, seed):
    world = run(1_000_000 + seed, tmp_path, steps=60)
    assert found(world) == ({}, [])
    assert world.requests > 40
    assert world.done["grown"] > 5


@pytest.mark.long
@pytest.mark.parametrize(
    "store", [{"json_files": "model"}, {"store": "memory"}], ids=["files", "memory"]
)
def test_the_same_on_other_stores(tmp_path, store):
    world = run(2_000_000, tmp_path, steps=40, **store)
    assert found(world) == ({}, [])
    assert world.requests > 25


@pytest.mark.long
@pytest.mark.parametrize("broken", ["no within", "no grown", "users only"])
def test_a_broken_matcher_is_noticed(tmp_path, monkeypatch, broken):
    if broken == "no within":  # clients that trim begin anew
        monkeypatch.setattr(
            PositionFinder,
            "_from_within",
            lambda self, heard, gaps: self._walk([], None, gaps=gaps),
        )
    elif broken == "no grown":  # tool rounds begin anew
        monkeypatch.setattr(PositionFinder, "grown", lambda *_: None)
    else:  # answers are of no account: an edited one is taken for what was said
        monkeypatch.setattr(PositionFinder, "_alike", lambda self, each, nodes: list(nodes))
    seeds = (run(3_000_000 + seed, tmp_path / str(seed), steps=60) for seed in range(4))
    assert any(world.broken for world in seeds)
