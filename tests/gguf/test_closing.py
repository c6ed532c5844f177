"""The embedded server can be closed at any moment: closing joins its threads with Python held."""

import subprocess
import sys

import pytest

BEGIN = """
import os, socket, sys, threading, time
import xllamacpp
from unabridged.net import llama_cpp

def start():
    params = xllamacpp.CommonParams()
    params.model.path = sys.argv[1]
    params.n_ctx, params.n_parallel, params.warmup, params.verbosity = 64, 1, False, -1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    return llama_cpp.start_server(params)
"""

AT_ONCE = """
def pin(processors):
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, processors)

def count():
    while True:
        sum(range(1_000))

every = os.sched_getaffinity(0) if hasattr(os, "sched_setaffinity") else set()
pin(set(list(every)[:1]))  # with one processor the server's loop begins after the end is asked for
for n in range(30):
    if n == 20:
        pin(every)
        threading.Thread(target=count, daemon=True).start()
    server = start()
    del server
    print(n, flush=True)
"""

HALF = """
llama_cpp.READ_SECONDS = 2
server = start()
address = server.listening_address.rpartition("/")[2].rsplit(":", 1)
with socket.create_connection((address[0], int(address[1]))) as client:
    client.sendall(b"POST /tokenize HTTP/1.1\\r\\n")
    time.sleep(0.5)
    before = time.monotonic()
    del server
print(time.monotonic() - before < 10)
"""


def run(smollm2, program, seconds):
    # A process that hangs with Python held hears no timeout of its own.
    done = subprocess.run(
        [sys.executable, "-c", BEGIN + program, str(smollm2)],
        check=False,
        capture_output=True,
        text=True,
        timeout=seconds,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.slow
def test_it_may_be_closed_as_soon_as_it_is_open(smollm2):
    assert run(smollm2, AT_ONCE, 240) == [str(n) for n in range(30)]


def test_half_a_request_holds_it_up_only_so_long(smollm2):
    assert run(smollm2, HALF, 60) == ["True"]
