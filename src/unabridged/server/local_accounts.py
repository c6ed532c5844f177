"""Accounts on this machine: whose a connection is, and who may chat without a key.

Linux tells which account opened a connection. The kernel is asked for one socket by ``sock_diag``
(man 7 sock_diag); if that is missing, ``/proc/net/tcp`` and ``tcp6`` are read, which takes longer the
more connections there are. A socket that its program closed has no inode and shows account 0, so it
counts as unknown.
"""

import os
import socket
import struct
import sys
from enum import StrEnum
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path

from starlette.types import Scope

from unabridged.domain.settings import Settings

ACCOUNT = "account"
"""The field of a connection's state with its account."""
End = tuple[str, int]
"""An address and a port."""


class Loopback(StrEnum):
    """Who may chat from this machine while there are no API keys."""

    ACCOUNT = "account"
    """Programs of the account that runs the server, and root."""
    EVERYONE = "everyone"
    """Every program on this machine."""
    NOBODY = "nobody"
    """Nobody without a key or the token."""


_INITIAL_NAMESPACES = {"user": 0xEFFF_FFFD, "pid": 0xEFFF_FFFC}
"""Numbers of the namespaces that a machine starts with (Linux: include/linux/proc_ns.h)."""

_CONTAINER = "it runs in a container or user namespace, where accounts are not those of the machine"


def loopback_of(settings: Settings) -> tuple[Loopback, str]:
    """Return who may chat without a key, and the reason if it is not the account."""
    if settings.require_key == "always":
        return Loopback.NOBODY, "the setting require_key is always"
    if settings.require_key == "never":
        return Loopback.EVERYONE, "the setting require_key is never"
    if sys.platform != "linux":
        return Loopback.EVERYONE, "this system does not tell whose a connection is"
    return (Loopback.NOBODY, _CONTAINER) if in_container() else (Loopback.ACCOUNT, "")


def in_container() -> bool:
    """Return whether the process is in a container or a user namespace.

    There, forwarders of ports (of podman, Kubernetes) connect from the loopback as root.
    """
    for name, number in _INITIAL_NAMESPACES.items():
        try:
            if Path(f"/proc/self/ns/{name}").stat().st_ino != number:
                return True
        except OSError:
            return True
    return False


def is_ours(account: int | None) -> bool:
    """Return whether an account is the one that runs the server, or root."""
    return account is not None and account in (0, os.geteuid())


def account_in(scope: Scope) -> int | None:
    """Return the account that sent a request, as it was noted when the connection was accepted."""
    state = scope.get("state") or {}
    if ACCOUNT in state:
        noted: int | None = state[ACCOUNT]
        return noted
    client, server = scope.get("client"), scope.get("server")
    return account_of(client, server) if client and server else None


def account_of(client: End, server: End) -> int | None:
    """Return the account that opened a connection from this machine.

    Args:
        client: The other end of the connection.
        server: Our end.

    Returns:
        The number of the account; None if it is unknown or the program closed its end.
    """
    if sys.platform != "linux":
        return None
    try:
        return asked_account(client, server)
    except OSError:
        return read_account(client, server)
    except ValueError:
        return None  # no address of a machine


Address = IPv4Address | IPv6Address


def _address(text: str) -> Address:
    found = ip_address(text)
    return (isinstance(found, IPv6Address) and found.ipv4_mapped) or found


_BY_FAMILY, _REQUEST, _ERROR = 20, 1, 2
_MISSING = 2
_LISTENS = 10
_ANY_COOKIE = (0xFFFF_FFFF, 0xFFFF_FFFF)
_DIAG_SECONDS = 1.0


def asked_account(client: End, server: End) -> int | None:
    """Ask the kernel for the account of one socket; as ``account_of``.

    Raises:
        OSError: The kernel does not answer such questions.
        ValueError: An end has no address.
    """
    local, remote = (_address(client[0]), client[1]), (_address(server[0]), server[1])
    family = socket.AF_INET if local[0].version == 4 else socket.AF_INET6
    ports = struct.pack(">HH16s16s", local[1], remote[1], local[0].packed, remote[0].packed)
    wanted = struct.pack("=BBBxI", family, socket.IPPROTO_TCP, 0, 0xFFFF_FFFF) + ports
    wanted += struct.pack("=III", 0, *_ANY_COOKIE)
    head = struct.pack("=IHHII", 16 + len(wanted), _BY_FAMILY, _REQUEST, 1, 0)
    diag = getattr(socket, "NETLINK_SOCK_DIAG", 4)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, diag) as kernel:
        kernel.settimeout(_DIAG_SECONDS)
        kernel.send(head + wanted)
        told = kernel.recv(4_096)
    (kind,) = struct.unpack_from("=H", told, 4)
    if kind == _ERROR:
        (number,) = struct.unpack_from("=i", told, 16)
        if number == -_MISSING:
            return None
        raise OSError(-number, "sock_diag")
    state, (account, inode) = told[17], struct.unpack_from("=II", told, 80)
    return account if inode and state != _LISTENS else None


def read_account(client: End, server: End) -> int | None:
    """Look for the account of one socket in the tables of all; as ``account_of``.

    Raises:
        ValueError: An end has no address.
    """
    local, remote = (_address(client[0]), client[1]), (_address(server[0]), server[1])
    for table, wide in (("tcp", False), ("tcp6", True)):
        if wide or local[0].version == 4:
            row = f" {_hex(local, wide=wide)} {_hex(remote, wide=wide)} ".encode()
            try:
                text = Path(f"/proc/net/{table}").read_bytes()
            except OSError:
                continue
            _, found, rest = text.partition(row)
            if found:
                fields = rest.split(maxsplit=7)
                account, inode = int(fields[4]), int(fields[6])
                return account if inode else None
    return None


def _hex(end: tuple[Address, int], *, wide: bool) -> str:
    packed = end[0].packed
    if wide and len(packed) == 4:
        packed = IPv6Address(f"::ffff:{end[0]}").packed
    words = struct.unpack(f"={len(packed) // 4}I", packed)
    return f"{''.join(f'{word:08X}' for word in words)}:{end[1]:04X}"
