"""Serving: the socket, the web server around the application, and how both come to an end.

The web server is uvicorn (https://www.uvicorn.org) in one process; its own logs are off but for
warnings, since an access log of its would hold queries.
"""

import asyncio
import contextlib
import ctypes
import errno
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FrameType
from typing import Any

from unabridged.errors import MissingExtraError, SettingError

try:
    import httptools  # noqa: F401 - uvicorn imports it by name; here it is found missing in time
    import uvicorn

    from unabridged.server.header_limits import Arriving
    from unabridged.server.observability import Watch
except ModuleNotFoundError as error:
    raise MissingExtraError(error.name or "uvicorn", "server") from error

GRACE = 30
"""Seconds for which answers that are being streamed may go on after the end was asked for."""
BREAK = 5
"""Seconds in which what was broken off stores what came."""
IDLE = 75
"""Seconds for which an idle connection is kept: clients and proxies keep them for about 60."""
SWITCH = 0.0002
"""Seconds after which a thread that computes lets the one go on that passes answers on. With Python's
5 ms each chunk waits so long while a memory prepares: whoever sends gives the interpreter away."""
HEAPS = 2
"""Heaps that all threads share."""
_ARENA_MAX = -8
"""``M_ARENA_MAX`` of glibc's ``malloc.h``."""
_WARNINGS: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"plain": {"format": "%(asctime)s %(levelname)s %(message)s"}},
    "handlers": {
        "stderr": {
            "class": "logging.StreamHandler",
            "formatter": "plain",
            "stream": "ext://sys.stderr",
        }
    },
    "loggers": {
        "uvicorn": {"handlers": ["stderr"], "level": "WARNING", "propagate": False},
    },
}


@dataclass(frozen=True, slots=True)
class Ended:
    """How serving ended.

    Attributes:
        signal: The name of the signal that ended it, or empty.
        answered: Requests that were answered.
        finished: Those that were being answered when the end was asked for, and came to their end.
        broken: Those that did not within the time, and were broken off; what came of them is
            stored as incomplete.
    """

    signal: str
    answered: int
    finished: int
    broken: int


def split_address(listen: str) -> tuple[str, int]:
    """Read where to listen: host and port.

    Args:
        listen: As the setting has it, such as ``127.0.0.1:11435`` or ``[::1]:11435``.

    Raises:
        SettingError: There is no such port.
    """
    host, _, port = listen.rpartition(":")
    if int(port) > 65_535:
        raise SettingError(f"There is no port {port}.", hint="Ports go from 0 to 65,535.")
    return host.strip("[]"), int(port)


def open_socket(listen: str) -> socket.socket:
    """Take an address; nobody is answered yet.

    Args:
        listen: As the setting has it; port 0 takes a free one.

    Raises:
        SettingError: The port is taken, or the address is none of this machine's.
    """
    host, port = split_address(listen)
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        raise SettingError(
            f"{host} is not an address of this machine.", hint="Use 127.0.0.1, for example."
        ) from error
    family, _, _, _, address = min(found, key=lambda one: one[0] != socket.AF_INET)
    try:
        taken = socket.create_server(address, family=family, backlog=2048)
    except OSError as error:
        raise _not_taken(error, host, port) from error
    # Connections inherit it. asyncio sets it for sockets that were made for TCP by name only, and
    # `create_server` names nothing: small chunks then wait 40 ms for the reader's acknowledgement.
    taken.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return taken


def _not_taken(error: OSError, host: str, port: int) -> SettingError:
    if error.errno == errno.EADDRINUSE:
        return SettingError(
            f"Something listens at {host} port {port} already, perhaps another `unabridged serve`.",
            hint=f"Stop that one, or use another port: unabridged serve --port {port + 1}",
        )
    if error.errno == errno.EACCES:
        return SettingError(
            f"Port {port} needs administrator rights.", hint="Use a port from 1024 on: --port 11435"
        )
    return SettingError(
        f"{host} port {port} cannot be opened: {error.strerror}.",
        hint="`127.0.0.1` is for this machine only, `0.0.0.0` for every network.",
    )


def address_of(taken: socket.socket) -> str:
    """Give the base address under which a socket is reached from this machine."""
    host, port = taken.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - read, not bound
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def serve(
    app: Any, watch: Watch, taken: socket.socket, ready: Callable[[], None], grace: float = GRACE
) -> Ended:
    """Answer requests until SIGINT, SIGTERM or SIGHUP; a second signal does not wait for streams.

    Args:
        app: The application.
        watch: What is going on in it.
        taken: Where it listens; closed at the end.
        ready: Called once it answers.
        grace: Seconds for which answers may go on after the signal.

    Raises:
        SettingError: The application did not start.
    """
    made = uvicorn.Config(
        app,
        http=Arriving,
        ws="none",
        lifespan="on",
        log_config=_WARNINGS,
        access_log=False,
        server_header=False,
        proxy_headers=False,  # an address that anybody may write into a header is not believed
        timeout_keep_alive=IDLE,
    )
    server = _Server(made, watch, ready, grace)
    _share_heaps()
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH)
    try:
        server.run(sockets=[taken])
    except SystemExit as error:
        raise SettingError(
            "The server did not start.", hint="See the message above, or run: unabridged doctor"
        ) from error
    finally:
        sys.setswitchinterval(before)
        taken.close()
    return server.ended


def _share_heaps() -> None:
    if sys.platform == "linux" and (mallopt := getattr(ctypes.CDLL(None), "mallopt", None)):
        mallopt(_ARENA_MAX, HEAPS)


class _Server(uvicorn.Server):
    """uvicorn's server with an end of our own: it waits, breaks off, waits again, and says what it did."""

    def __init__(
        self, made: uvicorn.Config, watch: Watch, ready: Callable[[], None], grace: float
    ) -> None:
        super().__init__(made)
        self._watch = watch
        self._ready = ready
        self._grace = grace
        self.ended = Ended("", 0, 0, 0)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:  # type: ignore[explicit-override]  # typing.override came with 3.12
        await super().startup(sockets)
        self._ready()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:  # type: ignore[explicit-override]  # as above
        """Take the signals, and give them back; uvicorn's raises them anew, which ends the program."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        taken = [signal.SIGINT, signal.SIGTERM]
        if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
            taken.append(signal.SIGHUP)  # its terminal was closed; under nohup it goes on
        before = {which: signal.signal(which, self.handle_exit) for which in taken}
        try:
            yield
        finally:
            for which, handler in before.items():
                signal.signal(which, handler)

    def handle_exit(self, sig: int, _: FrameType | None) -> None:  # type: ignore[explicit-override]  # as above
        """Ask for the end; at the second signal whatever it is without waiting."""
        self.force_exit = self.should_exit
        self._captured_signals.append(sig)
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:  # type: ignore[explicit-override]  # as above
        """Take no more requests, let those that are being answered end, close the application."""
        state, watch = self.server_state, self._watch
        for server in self.servers:
            server.close()
        for one in sockets or []:
            one.close()
        begun = watch.open
        for connection in list(state.connections):
            connection.shutdown()
        await self._wait(self._grace)
        broken = watch.open
        await self._break_off()
        await self.lifespan.shutdown()  # memories are closed whatever happens
        named = [signal.Signals(number).name for number in self._captured_signals[:1]]
        answered = state.total_requests - broken
        self.ended = Ended("".join(named), answered, max(0, begun - broken), broken)

    async def _wait(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        while not self.force_exit and loop.time() < until:
            if await self._watch.idle(0.1):
                return

    async def _break_off(self) -> None:
        if self.server_state.tasks:  # the last bytes of an answer that is whole
            await asyncio.wait(self.server_state.tasks, timeout=0.1)
        if left := [task for task in self.server_state.tasks if not task.done()]:
            for task in left:
                task.cancel()
            await asyncio.wait(left, timeout=BREAK)
