"""Text that would control a terminal, and what of it reached one."""

import re

SEQUENCES = (
    "\x1b]0;owned\x07",  # a title (OSC)
    "\x1b]8;;http://x\x1b\\",  # a link (OSC 8)
    "\x1bP+q544e\x1b\\",  # a question (DCS)
    "\x1b[6n",
    "\x1b[2J",
    "\x1b[8;5m",
    "\x9b31m",  # CSI, DCS and OSC in one character (C1)
    "\x90+q\x9c",
    "\x9d0;x\x9c",
    "\b\b",
    "\x7f",
    "\x00",
    "\x0e\x0f",
    "\x05",
    "\u202eRLO\u202c",
    "\u2066LRI\u2069",
    "\u2068\u202a\u202b\u202d\u2067",
)
CONTROLS = "".join(f"{sequence}," for sequence in SEQUENCES) + "\rCR"
HOSTILE = f"tea{CONTROLS}&#x202e;&#27;[8;5m,"
"""The marker ``tea``, what controls, and the same as entities of HTML, which Markdown decodes."""
_OURS = re.compile(
    r"\x1b\[[\d;]*m"
    r"|\x1b\[\?(?:25|2004|12|7|1)[hl]|\x1b\[\d*[ABCDGJK]|\x1b\[6n|\x1b\[\d*;?\d*H|\r(?=\n)|\x08(?!\x08?,)"
)
"""What the program and its libraries send themselves."""
_BAD = re.compile("[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\rCR")


def reached(raw):
    """Return what of the controls is in the bytes that a terminal was sent."""
    text = raw.decode("utf-8", "replace")
    for sequence in ("\x1b[6n", "\x1b[2J", "\x1b[8;5m"):
        if f"{sequence}," in text:
            return [sequence]
    left = _OURS.sub("", text.replace("\r\r\n", "\r\n"))
    return [left[max(0, m.start() - 60) : m.end() + 20] for m in _BAD.finditer(left)]
