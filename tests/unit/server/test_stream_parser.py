"""What arrives together is passed on together, and a fault behind it hides nothing."""

import pytest

from unabridged.errors import UpstreamBrokenError
from unabridged.server.stream_parser import OllamaListener, together

LINE = b'{"message":{"role":"assistant","content":"%s"},"done":false}\n'


def fed(data):
    told = []
    try:
        told.extend((p.chunk.text, p.more) for p in together(OllamaListener().feed(data)))
    except UpstreamBrokenError:
        told.append("broken")
    return told


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", []),
        (LINE % b"one", [("one", False)]),
        (LINE % b"one" + LINE % b"two", [("one", True), ("two", False)]),
        (LINE % b"one" + LINE % b"two" + b"{", [("one", True), ("two", False)]),
        (LINE % b"one" + b"no JSON\n", [("one", False), "broken"]),
        (b"no JSON\n", ["broken"]),
    ],
)
def test_all_but_the_last_have_more_behind_them(data, told):
    assert fed(data) == told
