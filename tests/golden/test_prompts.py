"""No prompt changes: every context is what was recorded, whichever store it was prepared over.

After a deliberate change: ``python -m tests.golden.record``, and say in the commit what changed.
"""

import os
import subprocess
import sys
from collections import Counter

import pytest
from tests.golden import record
from tests.golden.driver import STORES
from tests.golden.scenarios import SCENARIOS

RECORDED = record.read()
FILES = [name for name in STORES if name.startswith("files")]
OTHERS = {
    "sharing": ("memory", "files-agent"),  # a prompt names the space that a fact came from
    "large": (),  # imported exchanges that score the same: SQLite has them as they came, others by id
}
AGAIN = ("knowledge", "synced_tools", "condensed_story", "forgetting")
CHECKOUT = record.FOLDER.parents[1]


def places():
    """Every scenario over SQLite and in memory, and over one layout of files in turn."""
    for n, name in enumerate(SCENARIOS):
        others = OTHERS.get(name, ("memory", FILES[n % len(FILES)]))
        for store in ("sqlite", *others):
            yield name, store


def changed(recorded, lines):
    """The names of lines that are not as recorded, each with the columns that differ."""
    now = {line.name: record.row(line) for line in lines}
    then = {held["name"]: held for held in recorded}
    return {
        name: [key for key in record.COLUMNS if now.get(name, {}).get(key) != then[name][key]]
        if name in then
        else ["new"]
        for name in {**then, **now}
        if now.get(name) != then.get(name)
    }


@pytest.mark.parametrize(("name", "store"), [*places()])
def test_every_prompt_is_as_recorded(name, store, tmp_path):
    lines = record.run(name, store)
    found = changed(RECORDED.get(name, []), lines)
    if not found:
        return
    for line in lines:
        if line.name in found:
            base = line.name.replace("/", "-")
            (tmp_path / f"{base}.now").write_text(record.whole(line), encoding="utf-8")
    kept = record.renderings([at for at in found if found[at] != ["new"]])
    for at, text in kept.items():
        (tmp_path / f"{at.replace('/', '-')}.recorded").write_text(text, encoding="utf-8")
    first = next(iter(found))
    base = tmp_path / first.replace("/", "-")
    pytest.fail(
        f"{len(found)} of {len(lines)} lines of {name} over {store} are not as recorded; the first "
        f"is {first}: {', '.join(found[first])}\ndiff {base}.recorded {base}.now",
        pytrace=False,
    )


def test_what_is_recorded_is_what_there_is():
    assert list(RECORDED) == list(SCENARIOS)
    rows = [row for rows in RECORDED.values() for row in rows]
    assert len(rows) == len({row["name"] for row in rows})
    assert sum(bool(row["hash"]) for row in rows) >= 1_000


def test_the_scenarios_reach_every_kind_of_prompt():
    """What the net cannot see it cannot hold."""
    data = record.unpacked()
    accounts = [account for _, _, account in data["lines"].values()]
    intents = Counter(account["intent"] for account in accounts if "intent" in account)
    assert min(intents[name] for name in ("vivid_recall", "summary", "contextual", "casual")) > 100
    kinds = Counter((r[0], r[1], r[3]) for a in accounts for r in a.get("rows", ()))
    tiers = ("immediate", "recent", "semantic")
    assert all(kinds[tier, "exchange", "kept"] > 1_000 for tier in tiers)
    assert kinds["semantic", "exchange", "condensed"] > 30
    assert kinds["semantic", "condensation", "condensed"] > 100
    assert kinds["recent", "condensation", "condensed"] > 30
    assert kinds["knowledge", "fact", "kept"] > 1_000
    assert kinds["", "tool", "kept"] > 200
    assert kinds["", "tool", "left out"] > 100


@pytest.mark.parametrize("seed", ["1", "271828"])
def test_another_process_with_another_hash_seed_gives_the_same(seed, tmp_path):
    environment = {**os.environ, "PYTHONHASHSEED": seed, "HOME": str(tmp_path)}
    command = [sys.executable, "-m", "tests.golden.record", "--show", *AGAIN]
    ran = subprocess.run(
        command, capture_output=True, text=True, cwd=CHECKOUT, env=environment, check=False
    )
    assert ran.returncode == 0, ran.stderr
    wanted = [record.canonical(row) for name in AGAIN for row in RECORDED[name]]
    assert ran.stdout.splitlines() == wanted
