"""Stands for a program that a server runs: `SOCKET PROGRAM [ARGUMENT...]`."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys


def main(address: str, *arguments: str) -> int:
    """Have the program run on the streams of this process; returns its exit code."""
    program = {"arguments": arguments, "folder": os.getcwd(), "environment": dict(os.environ)}
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(address)
        socket.send_fds(connection, [json.dumps(program).encode()], [0, 1, 2])
        with connection.makefile() as lines:
            pid = int(lines.readline())
            for each in (signal.SIGTERM, signal.SIGINT):
                signal.signal(each, lambda number, _: os.kill(pid, number))
            for stream in (0, 1, 2):
                os.close(stream)
            code = int(lines.readline())
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    return code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
