"""The tour as a process: on a terminal, with keys, signals and a watch on every file it opens."""

import os
import select
import signal
import subprocess
import sys
import time

import pytest

PROGRAM = [sys.executable, "-c", "from unabridged.cli.main import main; main()"]
ON_ITS_TERMINAL = """
import fcntl, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)  # so that ^C is a signal to it
from unabridged.cli.main import main
main()
"""
WATCHED = """
import os, sys
own = os.path.realpath(sys.argv.pop(1))
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
MAKING = {"os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.symlink", "os.truncate",
          "shutil.rmtree", "shutil.copyfile", "shutil.move", "sqlite3.connect"}
RELATIVE = {"os.remove", "os.rmdir"}  # by a handle of their folder, within shutil.rmtree
REACHING = {"socket.connect", "socket.getaddrinfo"}
def watch(event, args):
    if event in REACHING:
        os.write(2, f"REACHED {event} {args[-1]}\\n".encode())
    if event == "open":
        path, _mode, flags = args
        if not flags & WRITING or path == os.devnull:
            return
    elif event in MAKING and not (event in RELATIVE and args[-1] != -1):
        path = args[0]
    else:
        return
    if not isinstance(path, int) and not os.path.realpath(os.fspath(path)).startswith(own):
        os.write(2, f"TOUCHED {event} {path}\\n".encode())
sys.addaudithook(watch)
from unabridged.cli.main import main
main()
"""
WAIT = 60


@pytest.fixture
def passing(tmp_path):
    folder = tmp_path / "passing"
    folder.mkdir()
    return folder


@pytest.fixture
def environ(tmp_path, passing):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("UNABRIDGED")}
    return {
        **kept,
        "HOME": str(tmp_path / "person"),
        "TMPDIR": str(passing),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONIOENCODING": "utf-8",
        "TERM": "xterm",
    }


def test_a_pipe_gets_all_of_it_and_no_file_elsewhere_is_written(environ, passing, tmp_path):
    ran = subprocess.run(
        [sys.executable, "-c", WATCHED, str(passing), "tour"],
        env=environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=WAIT,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "── end 2/2" in ran.stdout
    assert "\x1b" not in ran.stdout
    assert not list(passing.iterdir())
    assert not (tmp_path / "person").exists()


def test_a_reader_that_goes_away_leaves_no_folder(environ, passing):
    with subprocess.Popen(
        [*PROGRAM, "tour", "start"],
        env=environ | {"PYTHONUNBUFFERED": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.readline()
        process.stdout.close()
        assert (process.stderr.read(), process.wait(WAIT)) == (b"", 141)
    assert not list(passing.iterdir())


class Terminal:
    """The program on a pseudo-terminal."""

    def __init__(self, environ, *words):
        self.ours, theirs = os.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-c", ON_ITS_TERMINAL, *words],
            env=environ,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        self.shown = ""

    def until(self, text):
        end = time.monotonic() + WAIT
        while text not in self.shown:
            assert time.monotonic() < end, self.shown
            if not select.select([self.ours], [], [], 1)[0]:
                continue
            try:
                data = os.read(self.ours, 4096)
            except OSError:  # Linux: the other end is closed
                data = b""
            if not data:
                break
            self.shown += data.decode("utf-8", "replace")
        assert text in self.shown, self.shown
        before, _, self.shown = self.shown.partition(text)
        return before + text

    def press(self, key):
        """Press a key as soon as one is waited for; those before are thrown away."""
        import termios

        end = time.monotonic() + WAIT
        while termios.tcgetattr(self.ours)[3] & termios.ICANON:
            assert time.monotonic() < end
            time.sleep(0.01)
        os.write(self.ours, key)

    def end(self):
        try:
            while os.read(self.ours, 4096):
                pass
        except OSError:
            pass
        code = self.process.wait(WAIT)
        os.close(self.ours)
        return code


on_a_terminal = pytest.mark.skipif(not hasattr(os, "openpty"), reason="no pseudo-terminals here")


@on_a_terminal
def test_on_a_terminal_it_waits_in_colour_and_q_leaves(environ, passing):
    terminal = Terminal(environ, "tour")
    first = terminal.until("q to quit")
    assert "start 1/" in first
    assert "\x1b[36m" in first
    assert "start 2/" not in first
    assert len(list(passing.iterdir())) == 1
    terminal.press(b"\r")
    assert "start 2/" in terminal.until("q to quit")
    terminal.press(b"n")
    assert "companion 1/" in terminal.until("q to quit")
    terminal.press(b"q")
    terminal.until("never touched.")
    assert terminal.end() == 0
    assert not list(passing.iterdir())


@on_a_terminal
def test_ctrl_c_at_a_pause_leaves_no_folder(environ, passing):
    terminal = Terminal(environ, "tour")
    terminal.until("q to quit")
    terminal.press(b"\x03")
    assert terminal.end() == 130
    assert not list(passing.iterdir())


@pytest.mark.skipif(os.name == "nt", reason="no such signals there")
@pytest.mark.parametrize(
    ("which", "code", "after"),
    [
        (signal.SIGINT, 130, "start 1/"),
        (signal.SIGINT, 130, "Remember the cheese"),
        (signal.SIGTERM, 143, "start 2/"),
        (signal.SIGHUP, 129, "start 3/"),
    ],
)
def test_a_signal_amid_the_commands_leaves_no_folder(environ, passing, which, code, after):
    environ["PYTHONUNBUFFERED"] = "1"
    with subprocess.Popen(
        [*PROGRAM, "tour"],
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
    ) as process:
        assert process.stdout
        for line in process.stdout:
            if after in line:
                process.send_signal(which)
                break
        process.stdout.read()
        assert process.wait(WAIT) == code
    assert not list(passing.iterdir())
