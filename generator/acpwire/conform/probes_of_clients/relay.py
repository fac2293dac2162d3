"""A relay between a client, which starts it as an agent, and `acpgen conform`.

The client starts this program for each probe. The program imports only the standard library so
that it starts quickly.
"""

import os
import socket
import sys
import threading
from contextlib import suppress

CHUNK = 1 << 16


def pass_input(judge: socket.socket) -> None:
    """Forward standard input to `acpgen conform` until the input ends."""
    with suppress(OSError):  # `acpgen conform` closed the connection, so `main` returns
        while data := os.read(0, CHUNK):
            judge.sendall(data)
        judge.shutdown(socket.SHUT_WR)


def main(port: int) -> None:
    """Forward bytes from `acpgen conform` to the client until the connection closes."""
    with socket.create_connection(("127.0.0.1", port)) as judge:
        threading.Thread(target=pass_input, args=(judge,), daemon=True).start()
        with open(1, "wb", buffering=0, closefd=False) as output:
            while data := memoryview(judge.recv(CHUNK)):
                while data:
                    data = data[output.write(data) :]


if __name__ == "__main__":
    with suppress(OSError):  # the client or `acpgen conform` exited
        main(int(sys.argv[1]))
    os._exit(0)  # exit without waiting for the thread, which might be blocked
