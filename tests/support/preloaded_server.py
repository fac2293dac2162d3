"""Runs programs in forks of a process that has imported what they need: `SOCKET MODULE...`.

Each connection sends what `preloaded.py` describes, and gets the number of the process, and its
exit code when it has ended, a line each.
"""

from __future__ import annotations

import json
import os
import runpy
import socket
import sys
import traceback
from importlib import import_module
from typing import Any


def main(address: str, *modules: str) -> None:
    """Serve until the process is ended."""
    for name in modules:
        import_module(name)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(address)
        server.listen()
        print("ready", flush=True)
        while True:
            connection, _ = server.accept()
            with connection:
                if os.fork() == 0:
                    server.close()
                    if os.fork() != 0:  # so that whoever waits for the program is not the server
                        os._exit(0)
                    attend(connection)
            os.wait()


def attend(connection: socket.socket) -> None:
    """Run the program of a connection, and report its end."""
    text, streams, _, _ = socket.recv_fds(connection, 1 << 20, 3)
    pid = os.fork()
    if pid == 0:
        connection.close()
        os._exit(run(json.loads(text), streams))
    for stream in (0, 1, 2, *streams):
        os.close(stream)
    connection.sendall(f"{pid}\n".encode())
    _, status = os.waitpid(pid, 0)
    connection.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())
    os._exit(0)


def run(program: dict[str, Any], streams: list[int]) -> int:
    """Run a program in this process, and return its exit code."""
    for number, opened in enumerate(streams):
        os.dup2(opened, number)
        os.close(opened)
    os.chdir(program["folder"])
    os.environ.clear()
    os.environ.update(program["environment"])
    sys.argv = program["arguments"]
    sys.path[0] = os.path.dirname(sys.argv[0])
    code: Any = 0
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
    except SystemExit as error:
        code = error.code
    except BaseException:
        traceback.print_exc()
        code = 1
    if code is not None and not isinstance(code, int):
        print(code, file=sys.stderr)
        code = 1
    for stream in (sys.stdout, sys.stderr):
        if not stream.closed:
            stream.flush()
    return code or 0


if __name__ == "__main__":
    main(*sys.argv[1:])
