"""Eight processes write to one space, and each brings its files up to date."""

import subprocess
import sys

import pytest

from unabridged.domain.scope import SpaceId
from unabridged.home.followed_spaces import FollowedSpaces, JsonFolder
from unabridged.home.spaces import SpacesFolder
from unabridged.projections.json_files import json_document
from unabridged.projections.json_files.layouts import KNOWN

WRITER = """
import sys
from pathlib import Path
from unabridged.domain.scope import SpaceId
from unabridged.errors import HeadMovedError
from unabridged.home.spaces import SpacesFolder
from unabridged.testing.log_writer import LogWriter
from unabridged.home.followed_spaces import FollowedSpaces, JsonFolder
folder, layout, me, count = Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
spaces = FollowedSpaces(SpacesFolder(folder / "spaces"), JsonFolder(folder / "json", layout))
store = spaces.open(SpaceId())
own, shared = LogWriter(store, f"own-{me}"), LogWriter(store, "shared")
for number in range(count):
    own.say(f"{me} {number}", "x")
    while True:
        header = store.session("shared")
        last = store.recent("shared", 1)
        shared.header = header or shared.header
        shared.parent = last[0].id if last else None
        shared._count = int(me) * 10_000 + number * 10
        try:
            shared.begin(f"{me} {number}")
            break
        except HeadMovedError:
            continue
store.close()
"""


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["model", "agent"])
def test_nothing_is_lost_doubled_or_out_of_order(tmp_path, layout):
    folder = tmp_path / "home"
    people, count = 8, 6
    running = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(folder), layout, str(me), str(count)])
        for me in range(people)
    ]
    assert [process.wait(timeout=300) for process in running] == [0] * people
    spaces = FollowedSpaces(SpacesFolder(folder / "spaces"), JsonFolder(folder / "json", layout))
    store = spaces.open(SpaceId(), create=False)
    assert (store.troubles, store.notes) == ([], [])
    for me in range(people):
        said = [x.user.text for x in store.recent(f"own-{me}", 99)]
        assert said == [f"{me} {number}" for number in range(count)]
    path = [x.user.text for x in store.recent("shared", 999)]
    assert sorted(path) == sorted(f"{me} {n}" for me in range(people) for n in range(count))
    for me in range(people):
        mine = [text for text in path if text.startswith(f"{me} ")]
        assert mine == [f"{me} {number}" for number in range(count)]
    assert store.totals().exchanges == 2 * people * count
    assert store.check() == []
    files = (folder / "json").glob("[!.]*.json")
    documents = [json_document.read(KNOWN[layout], path.read_bytes()) for path in files]
    shown = {name for one in documents if one is not None for name in one.ids()}
    assert shown == {exchange.id for exchange in store.scan()}
    store.close()
