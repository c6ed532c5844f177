import asyncio
import re
import sys
from pathlib import Path

import pytest

from unabridged.server.run_server import trim_heaps


def own_megabytes():
    found = re.search(r"RssAnon:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(found[1]) / 1024


@pytest.mark.skipif(sys.platform != "linux", reason="the heaps of glibc")
def test_what_was_freed_goes_back_to_the_system():
    before = own_megabytes()
    held = [bytes(5_000) for _ in range(20_000)]
    last = held[::500]  # so that the heap does not shrink by itself
    held.clear()
    kept = own_megabytes()
    assert kept - before > 60
    asyncio.run(trim_heaps())
    assert own_megabytes() - before < 20
    assert last
