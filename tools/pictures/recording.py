"""Play the scene in a terminal, and keep what its screen showed when."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from tools.pictures.scene import COLUMNS, EXPORT_NAME, ROWS, STEPS, Step, write_export

CHECKOUT = Path(__file__).parents[2]
KEYS_AT_ONCE = 3
"""Keys between two frames while a line is typed."""
TYPING_SECONDS = 0.09
CHANGE_SECONDS = 0.15
QUIET_POLLS = 12
"""A screen is ready when it did not change for so many looks."""
POLL_SECONDS = 0.1
TIMEOUT_SECONDS = 60
SHELL = "cd; HISTFILE= PS1='$ ' exec bash --norc --noprofile -i"


@dataclass
class Recording:
    """Screens with the seconds that each stays, and the screens kept as pictures."""

    frames: list[tuple[tuple[str, ...], float]] = field(default_factory=list)
    shots: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def add(self, screen: tuple[str, ...], seconds: float) -> None:
        """Append a screen; one that equals the last screen makes that one stay longer."""
        if self.frames and self.frames[-1][0] == screen:
            screen, before = self.frames.pop()
            seconds += before
        self.frames.append((screen, seconds))


class Terminal:
    """A shell in tmux with a home of its own, whose screen can be read with its colours."""

    def __init__(self, folder: Path) -> None:
        self._tmux = [shutil.which("tmux") or "tmux", "-S", str(folder / "tmux"), "-f", "/dev/null"]
        home, programs = folder / "home", folder / "bin"
        home.mkdir()
        programs.mkdir()
        write_export(home / EXPORT_NAME)
        command = programs / "unabridged"
        path = f"{CHECKOUT}:{CHECKOUT / 'src'}"
        command.write_text(
            f"#!/bin/sh\nPYTHONPATH={shlex.quote(path)} exec "
            f'{shlex.quote(sys.executable)} -m tools.pictures.program {time.monotonic()} "$@"\n'
        )
        command.chmod(0o755)
        environ = {
            "PATH": f"{programs}:/usr/bin:/bin",
            "HOME": str(home),
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "UNABRIDGED_UPSTREAM": "quote",
        }
        words = [f"{name}={value}" for name, value in environ.items()]
        shell = shlex.join(["env", "-i", *words, "sh", "-c", SHELL])
        self._run("new-session", "-d", "-x", str(COLUMNS), "-y", str(ROWS), shell)
        self._run("set-option", "-g", "status", "off")

    def _run(self, *words: str) -> str:
        done = subprocess.run([*self._tmux, *words], check=True, capture_output=True, text=True)
        return done.stdout

    def screen(self) -> tuple[str, ...]:
        """Return the lines of the screen with their escape codes."""
        return tuple(self._run("capture-pane", "-e", "-p").split("\n")[:ROWS])

    def type(self, keys: str) -> None:
        """Type characters, without Enter."""
        self._run("send-keys", "-l", keys)

    def press(self, key: str) -> None:
        """Press a key by its name in tmux."""
        self._run("send-keys", key)

    def close(self) -> None:
        """End the terminal with everything that runs in it."""
        self._run("kill-server")


def record() -> Recording:
    """Play all steps and return what was seen."""
    recording = Recording()
    with tempfile.TemporaryDirectory(prefix="pictures-", ignore_cleanup_errors=True) as name:
        terminal = Terminal(Path(name))
        try:
            _settle(terminal, Recording())
            recording.add(terminal.screen(), 1.0)
            for step in STEPS:
                _play(step, terminal, recording)
        finally:
            terminal.close()
    return recording


def _play(step: Step, terminal: Terminal, recording: Recording) -> None:
    if step.clear:
        terminal.press("C-l")
        time.sleep(3 * POLL_SECONDS)
        recording.add(terminal.screen(), CHANGE_SECONDS)
    for start in range(0, len(step.line), KEYS_AT_ONCE):
        terminal.type(step.line[start : start + KEYS_AT_ONCE])
        time.sleep(TYPING_SECONDS)
        recording.add(terminal.screen(), TYPING_SECONDS)
    terminal.press("Enter")
    _settle(terminal, recording)
    screen = terminal.screen()
    recording.add(screen, step.seconds)
    if step.shot:
        recording.shots[step.shot] = screen


def _settle(terminal: Terminal, recording: Recording) -> None:
    before, quiet, end = terminal.screen(), 0, time.monotonic() + TIMEOUT_SECONDS
    changed = False
    while quiet < QUIET_POLLS * (1 if changed else 4):
        if time.monotonic() > end:
            raise TimeoutError("the screen did not come to rest")
        time.sleep(POLL_SECONDS)
        screen = terminal.screen()
        quiet = quiet + 1 if screen == before else 0
        if screen != before:
            changed = True
            recording.add(screen, CHANGE_SECONDS)
        before = screen
