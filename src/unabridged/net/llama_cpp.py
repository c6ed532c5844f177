"""llama.cpp's server in this process, through ``xllamacpp``: started so that it can be closed.

Dropping the server object ends its main loop and joins its threads, and holds Python's global
lock meanwhile. If a thread never ends, neither does the process.
"""

from importlib import import_module
from typing import Any

READ_SECONDS = 60
"""Seconds that the server waits for the rest of a request; its own value is an hour."""


def start_server(params: Any) -> Any:
    """Start the server with ``xllamacpp.CommonParams``; it may be dropped at once.

    Drop it only when no request is waiting for an answer.

    Raises:
        RuntimeError: The model cannot be loaded.
    """
    # Dropping joins the thread of a request that somebody began and did not finish.
    params.timeout_read = READ_SECONDS
    params.endpoint_metrics = True
    server = import_module("xllamacpp").Server(params)
    # The object exists before its main loop runs, and an end that comes before the loop is lost.
    # The loop answers this question, so it runs now. It is asked without the global lock.
    server.handle_metrics()
    return server
