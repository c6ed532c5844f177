"""Small chunks go out at once: no connection waits for the reader to acknowledge the one before."""

import socket

from unabridged.server.run_server import open_socket


def test_connections_send_small_chunks_at_once():
    taken = open_socket("127.0.0.1:0")
    reader = socket.create_connection(taken.getsockname())
    connection, _ = taken.accept()
    with taken, reader, connection:
        assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
