"""The program that a client starts as its agent: it connects the client with the judge.

It imports nothing but the standard library, since a client starts it for each conversation.
"""

import os
import socket
import sys
import threading
from contextlib import suppress

CHUNK = 1 << 16


def pass_input(judge: socket.socket) -> None:
    """Pass on what the client sends, and the end of it."""
    with suppress(OSError):  # the judge has gone, which ends this program
        while data := os.read(0, CHUNK):
            judge.sendall(data)
        judge.shutdown(socket.SHUT_WR)


def main(port: int) -> None:
    """Pass on what the judge sends, until it ends the conversation."""
    with socket.create_connection(("127.0.0.1", port)) as judge:
        threading.Thread(target=pass_input, args=(judge,), daemon=True).start()
        with open(1, "wb", buffering=0, closefd=False) as output:
            while data := memoryview(judge.recv(CHUNK)):
                while data:
                    data = data[output.write(data) :]


if __name__ == "__main__":
    with suppress(OSError):  # the client or the judge has gone
        main(int(sys.argv[1]))
    os._exit(0)  # not waiting for the thread, which may be reading
