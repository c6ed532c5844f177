"""The stage of the tour: a separate folder in which the real commands run."""

import contextlib
import io
import json
import shlex
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from importlib.resources.abc import Traversable
from pathlib import Path
from types import FrameType
from typing import Any, TextIO

from unabridged.cli.main import INTERRUPTED, cli
from unabridged.cli.output import echo
from unabridged.cli.tour.script import FOLDER, TourStep
from unabridged.config.isolated import alone
from unabridged.disk.atomic_write import write_whole
from unabridged.disk.folders import private_folder
from unabridged.domain.exchange import QUOTING
from unabridged.errors import InputError, UnabridgedError

LIST = "ls"
"""The one command of the shell that the script uses: the tour lists the folder itself."""
INTO = ">"
"""Sends the output of a command into a file; the tour writes it itself."""
_PREFIX = "unabridged-tour-"
_CONVERSATIONS = ".jsonl"
_ENDING = ("SIGINT", "SIGTERM", "SIGHUP")
"""Signals that end a program and must leave no folder: Ctrl-C, kill, a closed terminal."""


class Stage:
    """Runs the command lines of the tour in-process, with the tour's home.

    Args:
        folder: The tour's folder; it is the working folder during the tour.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._found: dict[str, str] = {}

    @contextlib.contextmanager
    def at_home(self, name: str) -> Iterator[None]:
        """Run commands in the home of a chapter; `quote` answers."""
        with alone(self.folder / name, upstream=QUOTING):
            yield

    def lines(self, step: TourStep) -> list[str]:
        """Return the command lines of a step, with the values that ``find`` names."""
        for name, (line, path) in step.find.items():
            told = self.output(f"{line.format_map(self._found)} --json")
            self._found[name] = _at(json.loads(told), path)
        return [line.format_map(self._found) for line in step.run]

    def run(self, line: str) -> None:
        """Run a command line; its output goes to standard output, errors too.

        Raises:
            UnabridgedError: The command failed, which is a fault of the tour.
            KeyboardInterrupt: Ctrl-C was pressed.
        """
        program, *words = shlex.split(line)
        if program == LIST:
            _list(Path(words[0]))
            return
        if words[-2:-1] == [INTO]:
            written = self.output(shlex.join([program, *words[:-2]]))
            write_whole(Path(words[-1]), written.encode())
            return
        stdin = sys.stdin
        try:
            sys.stdin = io.StringIO()
            with contextlib.redirect_stderr(_Beside(sys.stdout)):
                code = cli.run(words)
        finally:
            sys.stdin = stdin
        if code == INTERRUPTED:
            raise KeyboardInterrupt
        if code:
            raise UnabridgedError(
                f"A command of the tour failed ({code}): {line}",
                hint="Your own memory was not touched. Check the installation: unabridged doctor",
            )

    def output(self, line: str) -> str:
        """Run a command line and return its output."""
        written = io.StringIO()
        try:
            with contextlib.redirect_stdout(written):
                self.run(line)
        except UnabridgedError:
            echo(written.getvalue(), err=True)
            raise
        return written.getvalue()


def _list(folder: Path) -> None:
    for name in sorted(each.name for each in folder.iterdir()):
        if not name.startswith("."):
            echo(name)


def _at(value: Any, path: str) -> str:
    for key in path.split("."):
        name, wanted, told = key.partition("=")
        if wanted:
            value = next(each for each in value if each.get(name) == told)
        else:
            value = value[int(key)] if isinstance(value, list) else value[key]
    return str(value)


class _Beside(io.TextIOBase):
    """Standard error in place of standard output; not a terminal, so that no progress bar is drawn."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str, /) -> int:  # type: ignore[explicit-override]  # typing.override needs Python 3.12
        """Write to standard output."""
        return self._stream.write(text)

    def flush(self) -> None:  # type: ignore[explicit-override]  # the same
        """Flush standard output."""
        self._stream.flush()


@contextlib.contextmanager
def stage(keep: Path | None = None) -> Iterator[Stage]:
    """Create the stage, and remove it however the tour ends.

    Args:
        keep: A folder to use and keep; None for one that is removed.

    Raises:
        InputError: The folder to keep is not empty.
    """
    with contextlib.ExitStack() as stack:
        stack.enter_context(_ended_by_signals())
        folder = _kept_folder(keep) if keep else stack.enter_context(_passing_folder())
        _lay_out(FOLDER, folder)
        stack.enter_context(contextlib.chdir(folder))
        yield Stage(folder)


@contextlib.contextmanager
def _passing_folder() -> Iterator[Path]:
    folder = None
    try:
        with _undisturbed():
            folder = Path(tempfile.mkdtemp(prefix=_PREFIX)).resolve()
        yield folder
    finally:
        if folder is not None:
            with _undisturbed():
                shutil.rmtree(folder)


def _kept_folder(keep: Path) -> Path:
    folder = keep.expanduser().absolute()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(
            f"{keep} exists already, and the tour needs an empty folder.",
            hint="Choose an empty or a new folder: --keep FOLDER",
        )
    try:
        private_folder(folder)
    except OSError as error:
        raise InputError(
            f"Cannot create the folder {keep}: {error.strerror or error}.",
            hint="Choose a folder that you can write to: --keep FOLDER",
        ) from error
    return folder


def _lay_out(source: Traversable, folder: Path) -> None:
    for each in source.iterdir():
        if each.name.endswith(_CONVERSATIONS):
            write_whole(folder / each.name, each.read_bytes())


def _signals() -> list[signal.Signals]:
    # The signals of this system that end a program and are not ignored, as under ``nohup``.
    named = [getattr(signal, name) for name in _ENDING if hasattr(signal, name)]
    return [each for each in named if signal.getsignal(each) is not signal.SIG_IGN]


@contextlib.contextmanager
def _taken(handler: Callable[[int, FrameType | None], None] | signal.Handlers) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {each: signal.signal(each, handler) for each in _signals()}
    try:
        yield
    finally:
        for each, was in before.items():
            signal.signal(each, was)


def _undisturbed() -> contextlib.AbstractContextManager[None]:
    return _taken(signal.SIG_IGN)


def _ended_by_signals() -> contextlib.AbstractContextManager[None]:
    # A closed terminal ends the tour properly, as Ctrl-C does.
    return _taken(_end)


def _end(number: int, _frame: FrameType | None) -> None:
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    sys.exit(128 + number)
