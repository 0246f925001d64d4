"""Keeps the tests on this machine: a socket to anywhere but the loopback is refused."""

import ipaddress
import sys
from typing import Any


class NetworkRefused(RuntimeError):
    """A test reached for another machine."""


def refuse() -> None:
    """Install the guard for the rest of the process. Children are not covered."""
    sys.addaudithook(_hook)


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if event in {"socket.connect", "socket.sendto", "socket.sendmsg"}:
        address = arguments[1]
        if isinstance(address, tuple) and not _here(address[0]):
            raise NetworkRefused(f"{event} to {address}")
    elif event in {"socket.getaddrinfo", "socket.gethostbyname"} and not _here(arguments[0]):
        raise NetworkRefused(f"{event} of {arguments[0]}")


def _here(host: object) -> bool:
    name = host.decode() if isinstance(host, bytes) else host
    if name in {None, "", "localhost"}:
        return True
    try:
        address = ipaddress.ip_address(str(name).partition("%")[0])
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified
