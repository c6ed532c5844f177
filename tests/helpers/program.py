"""The program as a process of its own: ``start`` for a ``Popen``, ``run`` to its end, ``python`` for code.

A process of Python takes most of a second to import the program. So one process for each worker of
the tests imports it once, and is forked for every start; each fork is a process like any other: with
its own streams, environment, signals and end. Where that is not possible (only Linux gives a fork's
child to us), and for tests of the start itself, ``COMMAND`` starts Python afresh.
"""

import array
import atexit
import ctypes
import inspect
import json
import os
import socket
import subprocess
import sys
import threading
from functools import cache
from pathlib import Path

COMMAND = [sys.executable, "-c", "from unabridged.cli.main import main; main()"]
_CHECKOUT = Path(__file__).parents[2]
_PR_SET_CHILD_SUBREAPER = 36


class _Warm:
    """The process that is forked, and the socket that it listens at; it ends with this process."""

    def __init__(self):
        self._lock = threading.Lock()
        self._door, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        command = [sys.executable, "-m", "tests.helpers.warm_program", str(theirs.fileno())]
        self._process = subprocess.Popen(command, pass_fds=[theirs.fileno()], cwd=_CHECKOUT)
        theirs.close()
        atexit.register(self.close)

    def fork(self, request, streams):
        """Return the number of the process that a request began."""
        fds = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", streams))]
        with self._lock:
            self._door.sendmsg([request], fds)
            return int(self._door.recv(64))

    def close(self):
        self._door.close()
        self._process.wait()


@cache
def _warm():
    """Start the warm process; None where a fork's child cannot be ours."""
    if not sys.platform.startswith("linux"):
        return None
    refused = ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    return None if refused else _Warm()


class _Forked(subprocess.Popen):
    """A process that the warm one forks."""

    def _execute_child(self, *args):
        given = inspect.signature(super()._execute_child).bind(*args).arguments
        ends = [given[name] for name in ("p2cread", "c2pwrite", "errwrite")]
        streams = [number if end == -1 else end for number, end in enumerate(ends)]
        code, *words = given["args"]
        asked = {"code": code, "words": words, "umask": given["umask"]}
        asked["cwd"] = os.fspath(given["cwd"] or Path.cwd())
        asked["env"] = dict(os.environ if given["env"] is None else given["env"])
        missing = [name for name in _CANNOT if given[name] not in {None, False, (), -1}]
        assert not missing, f"a forked program cannot have {missing}: start COMMAND afresh"
        self.pid = _warm().fork(json.dumps(asked).encode(), streams)
        self._child_created = True
        self._close_pipe_fds(*(given[name] for name in _PIPES))


_CANNOT = ("preexec_fn", "pass_fds", "start_new_session", "uid", "gid", "gids")
_PIPES = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")


def start(*words, **options):
    """Start the program with words; the options are those of ``subprocess.Popen``."""
    if _warm() is None:
        return subprocess.Popen([*COMMAND, *map(str, words)], **options)
    return _Forked(["", *map(str, words)], **options)


def python(code, *words, **options):
    """Start code with words, as ``python -c`` does."""
    if _warm() is None:
        return subprocess.Popen([sys.executable, "-c", code, *map(str, words)], **options)
    return _Forked([code, *map(str, words)], **options)


def run(*words, said=None, timeout=120, **options):
    """Run the program to its end; give a ``CompletedProcess`` with what it printed."""
    pipe = subprocess.PIPE
    streams = {"stdin": pipe, "stdout": pipe, "stderr": pipe}
    with start(*words, **{**streams, **options}) as process:
        try:
            out, err = process.communicate(said, timeout=timeout)
        except BaseException:
            process.kill()
            raise
    return subprocess.CompletedProcess(list(words), process.returncode, out, err)
