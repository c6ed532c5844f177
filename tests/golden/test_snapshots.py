"""What programs see is what was recorded: routes, tools, help and the JSON of commands.

After a deliberate change: ``python -m tests.golden.record --snapshots``.
"""

import difflib

import pytest
from tests.golden.snapshots import FOLDER, KINDS


@pytest.mark.parametrize("name", KINDS)
def test_it_is_as_recorded(name):
    recorded = (FOLDER / name).read_text("utf-8")
    now = KINDS[name]()
    if now != recorded:
        lines = difflib.unified_diff(
            recorded.splitlines(), now.splitlines(), "recorded", "now", lineterm="", n=2
        )
        pytest.fail("\n".join([name, *list(lines)[:80]]), pytrace=False)


def test_nothing_else_is_recorded():
    assert {path.name for path in FOLDER.iterdir()} == set(KINDS)
