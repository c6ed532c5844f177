"""A web application on a free port of this machine, served from a thread."""

import asyncio
import faulthandler
import socket
import sys
import threading

import uvicorn


class _Server(uvicorn.Server):
    """uvicorn's server, which hears at once that it shall end: its own looks ten times a second."""

    def __init__(self, made):
        super().__init__(made)
        self.up = threading.Event()
        self._loop = self._asked = None

    async def startup(self, sockets=None):
        await super().startup(sockets)
        self._loop, self._asked = asyncio.get_running_loop(), asyncio.Event()
        self.up.set()

    async def main_loop(self):
        tick = 0
        while not await self.on_tick(tick):
            try:
                await asyncio.wait_for(self._asked.wait(), 1)
            except TimeoutError:
                tick += 10  # tenths of a second, as uvicorn counts

    def ask_to_end(self):
        self.should_exit = True
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._asked.set)


class WebServer:
    """One server in a thread of its own, closed as a signal would close it.

    ``url`` is its address, without a slash at its end; options are those of ``uvicorn.Config``.
    """

    def __init__(self, app, **options):
        self._socket = socket.create_server(("127.0.0.1", 0))
        # asyncio sets it only on sockets that name their protocol; else answers wait 40 ms for an ACK.
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.port = self._socket.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        given = {"lifespan": "on", "timeout_graceful_shutdown": 5, **options}
        made = uvicorn.Config(app, log_config=None, ws="none", access_log=False, **given)
        self._server = _Server(made)
        self._thread = threading.Thread(target=self._run, name="served")

    def _run(self):
        try:
            self._server.run(sockets=[self._socket])
        finally:
            self._server.up.set()

    def start(self):
        self._thread.start()
        assert self._server.up.wait(60), "the server did not start in 60 s"
        assert self._server.started, "the server ended while it started"

    def stop(self):
        self._server.ask_to_end()
        self._thread.join(60)
        if self._thread.is_alive():
            faulthandler.dump_traceback(sys.__stderr__)  # who holds it up
        self._socket.close()
        assert not self._thread.is_alive(), "the server did not end in 60 s"

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()
