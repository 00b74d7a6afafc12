"""Ports of this machine, checked before a long start so that a taken one is said clearly."""

import socket
import sys

LOOPBACK = "127.0.0.1"


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        port: int = probe.getsockname()[1]
        return port


def port_of(text: str, name: str) -> int:
    """``text`` as a port; ends with what to do when it is none."""
    if not text.isdigit() or not 0 < int(text) < 65536:
        sys.exit(f"{name}={text} is no port: use a number from 1 to 65535.")
    return int(text)


def require_free(port: int, command: str) -> None:
    """End with what to do when somebody listens on ``port``; ``command`` takes another one."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except PermissionError:
            sys.exit(f"This user may not listen on port {port}. Take a higher one: {command}=8001")
        except OSError:
            sys.exit(f"Port {port} is taken, maybe by the same command elsewhere. Stop that, or: {command}={port + 1}")
