"""A program on a terminal of its own: what a person types, and what the screen is sent."""

import contextlib
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time

_CONTROLLED = "import fcntl, termios\nfcntl.ioctl(0, termios.TIOCSCTTY, 0)\n"
_SEQUENCE = re.compile(r"\x1b(?:\[[0-9;?]*[A-Za-z]|[()][A-Z0-9]|[=>])|\x07")
_WHERE, _THERE = b"\x1b[6n", b"\x1b[1;1R"


class OnTerminal:
    """Code that runs in a process with a terminal.

    Attributes:
        raw: Everything that was written so far.
    """

    def __init__(self, code, *words, env, columns=80, rows=24):
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        command = [sys.executable, "-c", _CONTROLLED + code, *words]
        streams = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
        self.process = subprocess.Popen(command, env=env, start_new_session=True, **streams)
        # Held open, so that the modes that the program leaves behind can be looked at.
        self._theirs = theirs
        self.raw = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self._ours)
        os.close(self._theirs)

    @property
    def text(self):
        """What was written, without control sequences."""
        return _SEQUENCE.sub("", self.raw.decode("utf-8", "replace"))

    @property
    def modes(self):
        """The modes of the terminal."""
        return termios.tcgetattr(self._theirs)

    def type(self, keys):
        os.write(self._ours, keys.encode())

    def until(self, text, timeout=60):
        """Read until a text was written."""
        ends = time.monotonic() + timeout
        while text not in self.text:
            assert time.monotonic() < ends, f"no {text!r} in {self.text!r}"
            assert self._read(0.05) or self.process.poll() is None, f"ended: {self.text!r}"
        return self

    def ended(self, timeout=60):
        """Read until the program ended; give its exit code."""
        ends = time.monotonic() + timeout
        while self.process.poll() is None:
            assert time.monotonic() < ends, f"did not end: {self.text!r}"
            self._read(0.05)
        while self._read(0):
            pass
        return self.process.returncode

    def left(self):
        """Give what was typed and not read by the program."""
        modes = termios.tcgetattr(self._theirs)
        modes[3] &= ~(termios.ICANON | termios.ECHO)
        termios.tcsetattr(self._theirs, termios.TCSANOW, modes)
        return os.read(self._theirs, 4096) if select.select([self._theirs], [], [], 0)[0] else b""

    def _read(self, seconds):
        if not select.select([self._ours], [], [], seconds)[0]:
            return b""
        piece = b""
        with contextlib.suppress(OSError):
            piece = os.read(self._ours, 65_536)
        self.raw += piece
        for _ in range(piece.count(_WHERE)):
            os.write(self._ours, _THERE)
        return piece
