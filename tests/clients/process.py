"""``unabridged serve`` as a process of its own."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from tests.helpers.keyless import KEYLESS

PROGRAM = [sys.executable, "-c", "from unabridged.cli.main import main; main()"]


class Serve:
    """A server process on a free port; a context manager that ends it.

    ``url`` is its address; ``ready`` the seconds from its start until ``/readyz`` said yes.

    Args:
        home: Its home folder.
        arguments: More of the command line.
        port: A port of its own, or 0 for any.
        wait: Seconds to wait for it.
        environ: More of the environment.
    """

    def __init__(self, home, *arguments, port=0, wait=30.0, environ=None):
        begun = time.perf_counter()
        argv = [*PROGRAM, "serve", "--home", str(home), "--port", str(port), "--json", *arguments]
        # A pipe that nobody reads would fill up; closed when the process is gone.
        self.errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 - as said above
        self.process = subprocess.Popen(
            argv, stdout=subprocess.PIPE, stderr=self.errors, env=_environ(environ), text=True
        )
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"serve did not start: {self._gone()[-2000:]}")
        self.url = json.loads(line)["url"].rstrip("/")
        until = begun + wait
        while not _says_yes(f"{self.url}/readyz"):
            if time.perf_counter() > until:
                self.kill()
                raise RuntimeError("serve is not ready")
            time.sleep(0.005)
        self.ready = time.perf_counter() - begun

    @property
    def port(self):
        """The port that it took."""
        return int(self.url.rpartition(":")[2])

    def kill(self):
        """SIGKILL: no word of goodbye."""
        self.process.send_signal(signal.SIGKILL)
        self._gone()

    def end(self):
        """SIGTERM, and wait; gives what it wrote to its standard error."""
        if self.process.poll() is None:
            self.process.terminate()
        return self._gone()

    def _gone(self):
        self.process.communicate(timeout=60)
        self.errors.seek(0)
        with self.errors:
            return self.errors.read()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.end()


def _environ(more):
    kept = {name: text for name, text in os.environ.items() if not name.startswith("UNABRIDGED_")}
    kept |= KEYLESS
    return {**kept, "OPENBLAS_NUM_THREADS": "1", **(more or {})}


def _says_yes(url):
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return answer.status == 200
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False
