"""The whole rows of a JSON value that breaks off, also if it is nested without end."""

import json
import tracemalloc

from unabridged.transfer.whole_rows import MOST_NESTED, whole_rows

ROWS = frozenset({("talk",)})


def test_what_is_nested_without_end_takes_no_more_memory_with_each_level():
    data = b'{"talk": [{"a": 1}], "b": ' + b'{"a":' * 20_000
    tracemalloc.start()
    left = whole_rows(data, ROWS)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert left is not None
    assert json.loads(left) == {"talk": [{"a": 1}]}
    assert peak < 8 << 20


def test_rows_behind_some_nesting_stay():
    deep = b'{"a":' * (MOST_NESTED - 2) + b"1" + b"}" * (MOST_NESTED - 2)
    left = whole_rows(b'{"b": ' + deep + b', "talk": [{"a": 1}, {"a": 2', ROWS)
    assert left is not None
    assert left.endswith(b'"talk": [{"a": 1}]}')
