"""What arrives together is passed on together, and a fault behind it hides nothing."""

import pytest

from unabridged.errors import UpstreamBrokenError
from unabridged.server.stream_parser import OllamaListener, together

LINE = b'{"message":{"role":"assistant","content":"%s"},"done":false}\n'
DONE = LINE.replace(b"false", b"true") % b"end"


def fed(data):
    told = []
    try:
        for pieces in together(OllamaListener().feed(data)):
            told += [[piece.chunk.text for piece in pieces]]
    except UpstreamBrokenError:
        told.append("broken")
    return told


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", []),
        (LINE % b"one", [["one"]]),
        (LINE % b"one" + LINE % b"two", [["one", "two"]]),
        (LINE % b"one" + LINE % b"two" + b"{", [["one", "two"]]),
        (LINE % b"one" + b"no JSON\n", [["one"], "broken"]),
        (b"no JSON\n", ["broken"]),
        (DONE + LINE % b"more", [["end"]]),
        (DONE + b"no JSON\n", [["end"]]),
    ],
)
def test_what_arrived_together_comes_in_one_list_up_to_the_last_piece(data, told):
    assert fed(data) == told
