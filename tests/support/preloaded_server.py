"""A server that imports modules and runs programs in forks of itself.

Usage: `preloaded_server.py SOCKET MODULE...`

Each client sends the request that `preloaded_program.py` creates. It receives the process id and,
when the process exits, the exit code, each on a separate line.
"""

from __future__ import annotations

import gc
import marshal
import os
import runpy
import select
import signal
import socket
import sys
import traceback
from contextlib import suppress
from importlib import import_module
from typing import Any


def main(address: str, *modules: str) -> None:
    """Serve until standard input closes, which also happens if the test process is killed."""
    for name in modules:
        import_module(name)
    gc.freeze()  # a garbage collection in a fork would copy the memory of all imported modules
    clients: dict[int, socket.socket] = {}
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(address)
        server.listen()
        # A signal that arrives just before `select` starts to wait would go unnoticed without these
        # sockets.
        exits, signals = socket.socketpair()
        signals.setblocking(False)
        signal.set_wakeup_fd(signals.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        print("ready", flush=True)
        while True:
            ready, _, _ = select.select([server, exits, sys.stdin, *clients.values()], [], [])
            if sys.stdin in ready:
                return
            if exits in ready:
                exits.recv(4096)
                report(clients)
            for pid, connection in clients.items():
                if connection in ready:  # the program's proxy was killed
                    os.kill(pid, signal.SIGKILL)
            if server not in ready:
                continue
            connection, _ = server.accept()
            text, streams, _, _ = socket.recv_fds(connection, 1 << 20, 3)
            pid = os.fork()
            if pid == 0:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                for opened in (server, exits, signals, connection, *clients.values()):
                    opened.close()
                os._exit(run(marshal.loads(text), streams))
            for stream in streams:
                os.close(stream)
            clients[pid] = connection
            tell(connection, pid)


def report(clients: dict[int, socket.socket]) -> None:
    """Send the exit codes of terminated programs to their connections."""
    while clients:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == 0:
            return
        with clients.pop(pid) as connection:
            tell(connection, os.waitstatus_to_exitcode(status))


def tell(connection: socket.socket, number: int) -> None:
    """Send a line that contains a number, unless the receiver was killed."""
    with suppress(OSError):
        connection.sendall(f"{number}\n".encode())


def run(program: dict[str, Any], streams: list[int]) -> int:
    """Run a program in this process and return its exit code."""
    for number, opened in enumerate(streams):
        os.dup2(opened, number)
        os.close(opened)
    # The server's stream objects cache properties of their original files, so replace them.
    sys.stdin = os.fdopen(0, encoding="utf-8", errors="surrogateescape", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", errors="surrogateescape", closefd=False)
    sys.stderr = os.fdopen(2, "w", 1, encoding="utf-8", errors="backslashreplace", closefd=False)
    os.chdir(program["folder"])
    os.environb.clear()
    os.environb.update(program["environment"])
    sys.argv = program["arguments"]
    is_file = sys.argv[0].endswith(".py")
    sys.path[0] = os.path.dirname(sys.argv[0]) if is_file else program["folder"]
    sys.path[1:1] = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    code: Any = 0
    try:
        if is_file:
            runpy.run_path(sys.argv[0], run_name="__main__")
        else:
            runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    except SystemExit as error:
        code = error.code
    except KeyboardInterrupt:  # exit as Python does after an interrupt
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
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
