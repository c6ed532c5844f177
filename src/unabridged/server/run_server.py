"""Run the server: the socket, the web server and their shutdown.

The web server is uvicorn (https://www.uvicorn.org) in one process. Only its warnings are logged,
since its access log would contain queries.
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
"""Seconds that streamed answers may continue after a signal."""
BREAK = 5
"""Seconds for broken-off answers to store what arrived."""
IDLE = 75
"""Seconds to keep an idle connection; clients and proxies keep them for about 60."""
SWITCH = 0.0002
"""Seconds after which a computing thread yields to the one that passes answers on. With Python's 5
ms, every chunk would wait that long while a memory prepares."""
HEAPS = 2
"""The most heaps of all threads together."""
TRIM_SECONDS = 60
"""Seconds after which the free pages of the heaps are given back to the system. It takes some
milliseconds; without it, what a busy minute took stays with the process for good."""
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
        signal: The signal that ended it, or empty.
        answered: Requests answered.
        finished: Requests open at the signal that were answered completely.
        broken: Requests broken off after the grace period; their answers are stored as incomplete.
    """

    signal: str
    answered: int
    finished: int
    broken: int


def split_address(listen: str) -> tuple[str, int]:
    """Return the host and port to listen on.

    Args:
        listen: The setting, such as ``127.0.0.1:11435`` or ``[::1]:11435``.

    Raises:
        SettingError: The port is invalid.
    """
    host, _, port = listen.rpartition(":")
    if int(port) > 65_535:
        raise SettingError(f"Invalid port: {port}.", hint="Use a port from 0 to 65,535.")
    return host.strip("[]"), int(port)


def open_socket(listen: str) -> socket.socket:
    """Bind an address; no request is answered yet.

    Args:
        listen: The setting; port 0 chooses a free port.

    Raises:
        SettingError: The port is in use, or the address does not belong to this machine.
    """
    host, port = split_address(listen)
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        raise SettingError(
            f"Cannot listen on {host}: invalid address.", hint="Use 127.0.0.1, for example."
        ) from error
    family, _, _, _, address = min(found, key=lambda one: one[0] != socket.AF_INET)
    try:
        taken = socket.create_server(address, family=family, backlog=2048)
    except OSError as error:
        raise _not_taken(error, host, port) from error
    # Connections inherit it. asyncio sets it only for sockets that name TCP, and `create_server`
    # names nothing: small chunks would then wait 40 ms for the reader's acknowledgement.
    taken.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return taken


def _not_taken(error: OSError, host: str, port: int) -> SettingError:
    if error.errno == errno.EADDRINUSE:
        return SettingError(
            f"{host} port {port} is already in use, perhaps by another `unabridged serve`.",
            hint=f"Stop it, or use another port: unabridged serve --port {port + 1}",
        )
    if error.errno == errno.EACCES:
        return SettingError(
            f"Port {port} needs administrator rights.",
            hint="Use a port from 1,024 on: --port 11435",
        )
    return SettingError(
        f"Cannot listen on {host} port {port}: {error.strerror}.",
        hint="Use 127.0.0.1 for this machine only, 0.0.0.0 for every network.",
    )


def address_of(taken: socket.socket) -> str:
    """Return the base address of a socket for programs on this machine."""
    host, port = taken.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - read, not bound
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def serve(
    app: Any, watch: Watch, taken: socket.socket, ready: Callable[[], None], grace: float = GRACE
) -> Ended:
    """Answer requests until SIGINT, SIGTERM or SIGHUP; a second signal does not wait for streams.

    Args:
        app: The application.
        watch: Its current activity.
        taken: The socket; closed at the end.
        ready: Called once the server answers.
        grace: Seconds that answers may continue after the signal.

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
        proxy_headers=False,  # a header can claim any address
        timeout_keep_alive=IDLE,
        callback_notify=trim_heaps,
        timeout_notify=TRIM_SECONDS,
    )
    server = _Server(made, watch, ready, grace)
    _share_heaps()
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH)
    try:
        server.run(sockets=[taken])
    except SystemExit as error:
        raise SettingError(
            "The server did not start.", hint="Read the messages above, or run: unabridged doctor"
        ) from error
    finally:
        sys.setswitchinterval(before)
        taken.close()
    return server.ended


def _share_heaps() -> None:
    if (mallopt := _of_libc("mallopt")) is not None:
        mallopt(_ARENA_MAX, HEAPS)


async def trim_heaps() -> None:
    """Give the free pages of the heaps back to the system; does nothing but with glibc."""
    if (malloc_trim := _of_libc("malloc_trim")) is not None:
        await asyncio.to_thread(malloc_trim, 0)  # without Python's lock


def _of_libc(name: str) -> Any:
    return getattr(ctypes.CDLL(None), name, None) if sys.platform == "linux" else None


class _Server(uvicorn.Server):
    """uvicorn's server with another shutdown: it waits, breaks off, waits again and reports."""

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
        """Handle signals within the block; uvicorn would raise them again at its end."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        taken = [signal.SIGINT, signal.SIGTERM]
        if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
            taken.append(signal.SIGHUP)  # its terminal was closed; under nohup it continues
        before = {which: signal.signal(which, self.handle_exit) for which in taken}
        try:
            yield
        finally:
            for which, handler in before.items():
                signal.signal(which, handler)

    def handle_exit(self, sig: int, _: FrameType | None) -> None:  # type: ignore[explicit-override]  # as above
        """Start the shutdown; a second signal of any kind ends it at once."""
        self.force_exit = self.should_exit
        self._captured_signals.append(sig)
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:  # type: ignore[explicit-override]  # as above
        """Refuse new requests, finish the open ones, close the application."""
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
        if self.server_state.tasks:  # the last bytes of a complete answer
            await asyncio.wait(self.server_state.tasks, timeout=0.1)
        if left := [task for task in self.server_state.tasks if not task.done()]:
            for task in left:
                task.cancel()
            await asyncio.wait(left, timeout=BREAK)
