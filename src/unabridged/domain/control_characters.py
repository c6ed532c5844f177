"""Characters that control a terminal or hide what a text says."""

import re

REPLACEMENT = "\ufffd"
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""C0 but tab and line feed, DEL, C1, overrides of direction (UAX #9), and halves of characters."""


def without_controls(text: str) -> str:
    """Replace each such character by ``REPLACEMENT``; a line end of Windows becomes a line feed."""
    return _CONTROLS.sub(REPLACEMENT, text.replace("\r\n", "\n"))


def escape_controls(json: str) -> str:
    r"""Write each such character of JSON as ``\\uXXXX``, which is the same JSON."""
    return _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", json)
