"""Eight processes write to one file."""

import subprocess
import sys
from pathlib import Path

import pytest

WRITER = """
import sys
from pathlib import Path
from unabridged.domain.scope import Space
from unabridged.errors import HeadMovedError
from unabridged.stores.files.folder import FilesFolder
from unabridged.testing.talk import Talk
folder, layout, me, count = Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
store = FilesFolder(folder, layout=layout).open(Space())
own, shared = Talk(store, f"own-{me}"), Talk(store, "shared")
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
    folder = tmp_path / "files"
    people, count = 8, 6
    running = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(folder), layout, str(me), str(count)])
        for me in range(people)
    ]
    assert [process.wait(timeout=300) for process in running] == [0] * people
    from unabridged.domain.scope import Space
    from unabridged.stores.files.folder import FilesFolder

    store = FilesFolder(Path(folder), layout=layout).open(Space(), create=False)
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
    store.close()
