"""The process that ``tests.helpers.program`` forks: it imports the program once, then waits.

Each request is code, words, environment, folder and three streams; the answer is the number of the process.
That is a grandchild: its parent ends at once, and so it becomes a child of who asked.
"""

import array
import atexit
import gc
import importlib
import io
import json
import os
import pkgutil
import signal
import socket
import sys
import threading
import traceback
from contextlib import suppress

from unabridged.cli import commands
from unabridged.cli.main import main as program

MODULES = (
    "httpx2",
    "unabridged.factory.adapters",
    "unabridged.mcp.server",
    "unabridged.server.run_server",
)
LARGEST = 1 << 20
"""Bytes of a request: the environment is most of it."""


def warm():
    """Import what commands import when they run."""
    for module in pkgutil.iter_modules(commands.__path__, f"{commands.__name__}."):
        importlib.import_module(module.name)
    for name in MODULES:
        importlib.import_module(name)
    assert threading.active_count() == 1, "a fork has one thread only"


def asked(source):
    """Wait for a request; give it with its streams, or None where nobody asks any more."""
    fds = array.array("i")
    data, ancillary, _, _ = source.recvmsg(LARGEST, socket.CMSG_SPACE(3 * fds.itemsize))
    for _, _, sent in ancillary:
        fds.frombytes(sent)
    return (json.loads(data), fds) if data else None


def become(request, fds):
    """Take the place of a program that was just started."""
    for number, stream in enumerate(fds):
        os.dup2(stream, number)
        os.close(stream)
    os.environ.clear()
    os.environ.update(request["env"])
    os.chdir(request["cwd"])
    if request["umask"] >= 0:
        os.umask(request["umask"])
    told, _, errors = os.environ.get("PYTHONIOENCODING", "").partition(":")
    encoding = told or sys.stdin.encoding
    errors = errors or ("strict" if told else sys.stdin.errors)
    at_once = "PYTHONUNBUFFERED" in os.environ
    said, out, err = io.FileIO(0), io.FileIO(1, "w"), io.FileIO(2, "w")
    sys.stdin = sys.__stdin__ = io.TextIOWrapper(io.BufferedReader(said), encoding, errors)
    sys.stdout = sys.__stdout__ = io.TextIOWrapper(
        io.BufferedWriter(out), encoding, errors, "\n", at_once or out.isatty(), at_once
    )
    sys.stderr = sys.__stderr__ = io.TextIOWrapper(
        io.BufferedWriter(err), encoding, "backslashreplace", "\n", line_buffering=True
    )
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.argv = ["-c", *request["words"]]


def serve(source):
    """Fork for each request; return in a fork, with its request, or at the end with nothing."""
    while request := asked(source):
        ours, theirs = os.pipe()
        middle = os.fork()
        if not middle:
            child = os.fork()
            if child:
                os.write(theirs, str(child).encode())
                os._exit(0)
            for left in (ours, theirs, source.detach()):
                os.close(left)
            return request
        os.waitpid(middle, 0)  # only now the child is theirs who asked
        source.send(os.read(ours, 64))
        for left in (ours, theirs, *request[1]):
            os.close(left)
    return None


def main():
    """Be forked until nobody asks."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is meant for the tests, whose end ends us too
    source = socket.socket(fileno=int(sys.argv[1]))
    warm()
    gc.freeze()  # no fork looks through what was imported
    request = serve(source)
    if request is not None:
        become(*request)
        end(run(request[0]["code"]))


def run(code):
    """Run code, or the program where there is none; give the code that it ends with."""
    try:
        if code:
            exec(compile(code, "<string>", "exec"), {"__name__": "__main__"})
        else:
            program()
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    except BaseException:  # noqa: BLE001 - as Python itself does where nobody catches it
        traceback.print_exc()
        return 1
    return 0


def end(code):
    """End as Python does, but for taking apart what was imported."""
    threading._shutdown()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
