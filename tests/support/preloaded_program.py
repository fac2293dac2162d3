"""A proxy for a program that a server runs.

Usage: `preloaded_program.py SOCKET PROGRAM [ARGUMENT...]`

The proxy starts once for each program, so it imports only built-in modules. Importing `signal`
would take half as long as starting Python.
"""

from __future__ import annotations

import _signal as signal
import _socket
import marshal
import posix as os
import sys


def main(address: str, *arguments: str) -> int:
    """Make the server run the program with this process's streams. Return the exit code."""
    program = {"arguments": list(arguments), "folder": os.getcwd(), "environment": dict(os.environ)}
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    connection.connect(address)
    streams = b"".join(number.to_bytes(4, sys.byteorder) for number in (0, 1, 2))
    rights = (_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)
    connection.sendmsg([marshal.dumps(program)], [rights])
    with open(connection.detach(), encoding="utf-8") as lines:
        pid = int(lines.readline())
        for each in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGUSR1):
            signal.signal(each, lambda number, _: os.kill(pid, number))
        for stream in (0, 1, 2):
            os.close(stream)
        code = int(lines.readline())
    if code < 0:
        if code != -signal.SIGKILL:
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    return code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
