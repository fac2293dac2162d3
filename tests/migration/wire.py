"""Stands between a client and a server, over HTTP/1.1 or WebSocket, and records their messages."""

from __future__ import annotations

import json
import re
import socket
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

HOST = "localhost"
# Frames are only readable if they are not compressed.
EXTENSIONS = re.compile(rb"^Sec-WebSocket-Extensions:.*\r\n", re.IGNORECASE | re.MULTILINE)
OPENING = re.compile(rb"(POST|GET|DELETE) (\S+) HTTP/1\.1\r\n((?:.+\r\n)*)\r\n")
OWN_HEADERS = ("acp-connection-id", "acp-session-id", "content-type", "accept")
TEXT = 1


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.create_server((HOST, 0)) as server:
        port: int = server.getsockname()[1]
        return port


@dataclass
class Wire:
    """A port that passes everything on to another port.

    Attributes:
        port: the port to connect to.
        sent: for each connection, the bytes of the client and those of the server.
    """

    target: int
    port: int = 0
    sent: list[tuple[bytearray, bytearray]] = field(default_factory=list)

    def __enter__(self) -> Wire:
        self._server = socket.create_server((HOST, 0))
        self.port = self._server.getsockname()[1]
        self._sockets: list[socket.socket] = [self._server]
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        for each in self._sockets:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._server.accept()
                far = socket.create_connection((HOST, self.target))
                self._sockets += [near, far]
                sent = (bytearray(), bytearray())
                self.sent.append(sent)
                for source, target, data in ((near, far, sent[0]), (far, near, sent[1])):
                    arguments = (source, target, data)
                    threading.Thread(target=_pass_on, args=arguments, daemon=True).start()

    def messages(self) -> list[dict[str, Any]]:
        """The messages of the protocol, as those of a transcript; of each side in order."""
        return [
            {"from": side, "message": message}
            for number, side in enumerate(("client", "agent"))
            for both in self.sent
            for message in _messages(bytes(both[number]))
        ]

    def requests(self) -> list[tuple[str, str, list[str]]]:
        """The requests of HTTP: method, path, and which of the headers that matter they have."""
        return sorted(
            (method.decode(), path.decode(), _own_headers(headers.decode()))
            for client, _ in self.sent
            for method, path, headers in OPENING.findall(client)
        )


def _pass_on(source: socket.socket, target: socket.socket, data: bytearray) -> None:
    with suppress(OSError):
        while chunk := source.recv(1 << 16):
            chunk = EXTENSIONS.sub(b"", chunk)
            data += chunk
            target.sendall(chunk)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)


def _own_headers(headers: str) -> list[str]:
    names = (line.partition(":")[0].lower() for line in headers.splitlines())
    return sorted(name for name in names if name in OWN_HEADERS)


def _messages(data: bytes) -> list[Any]:
    """Find the messages in one direction of a connection."""
    opening, _, rest = data.partition(b"\r\n\r\n")
    if b"websocket" in opening.lower():
        return [json.loads(text) for text in _frames(rest)]
    found: list[Any] = []
    text, decoder = data.decode(), json.JSONDecoder()
    for start in re.finditer(r'\{"jsonrpc"', text):
        found.append(decoder.raw_decode(text, start.start())[0])
    return found


def _frames(data: bytes) -> list[bytes]:
    """The texts of the frames of a WebSocket, each of which is short and whole."""
    texts: list[bytes] = []
    while data:
        kind, length, is_masked = data[0] & 0x0F, data[1] & 0x7F, data[1] & 0x80
        start = 2
        if length == 126:
            length, start = int.from_bytes(data[2:4], "big"), 4
        mask = data[start : start + 4] if is_masked else b"\0\0\0\0"
        start += 4 if is_masked else 0
        text = bytes(byte ^ mask[at % 4] for at, byte in enumerate(data[start : start + length]))
        if kind == TEXT:
            texts.append(text)
        data = data[start + length :]
    return texts
