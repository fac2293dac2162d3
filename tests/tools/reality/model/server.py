"""The model server, which detects the API of each request and sends the scripted reply."""

from __future__ import annotations

import itertools
import json
import select
import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType
from typing import Any

from . import anthropic, gemini, openai_chat, openai_responses
from .script import reply

MODEL = "fake-model"
# The delay after each event of a slow reply, in seconds.
PAUSE = 0.2

_APIS: dict[str, ModuleType] = {
    "/chat/completions": openai_chat,
    "/responses": openai_responses,
    "/messages": anthropic,
    ":generateContent": gemini,
    ":streamGenerateContent": gemini,
}
_ids = itertools.count(1)


class Server(ThreadingHTTPServer):
    """The scripted model server.

    Args:
        log: the file for all requests, even unknown requests, with one JSON document per line.

    Attributes:
        url: its URL, without a trailing slash.
        waits: an event that is set when a slow reply begins. Tests clear the event before waiting.
    """

    daemon_threads = True

    def __init__(self, log: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.waits = threading.Event()
        self._log = log
        self._lock = threading.Lock()

    def record(self, path: str, body: Any) -> None:
        with self._lock, self._log.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"path": path, "body": body}) + "\n")

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Record the current error, unless an agent closed its connection early."""
        import sys
        import traceback

        if not isinstance(sys.exc_info()[1], OSError):
            self.record("error", traceback.format_exc())


class _Handler(BaseHTTPRequestHandler):
    server: Server

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        self.server.record(self.path, None)
        if self.path.split("?")[0].endswith("/models"):
            about = {"id": MODEL, "object": "model", "created": 1, "owned_by": "reality"}
            limits = {"context_length": 128_000, "type": "model", "display_name": MODEL}
            self._send({"object": "list", "data": [{**about, **limits}], "has_more": False})
        else:
            self._send({"error": {"message": "not found", "type": "not_found_error"}}, 404)

    def do_POST(self) -> None:
        body = json.loads(self._body() or b"{}")
        self.server.record(self.path, body)
        path = self.path.split("?")[0]
        api = next((api for end, api in _APIS.items() if path.endswith(end)), None)
        if path.endswith(("/count_tokens", ":countTokens")):
            self._send({"input_tokens": 100, "totalTokens": 100})
        elif api is None:
            self._send({"error": {"message": "not found", "type": "not_found_error"}}, 404)
        else:
            self._reply(api, body, path.endswith(":generateContent"))

    def _body(self) -> bytes:
        if "chunked" not in self.headers.get("Transfer-Encoding", ""):
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        parts = list[bytes]()
        while size := int(self.rfile.readline(), 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        return b"".join(parts)

    def _reply(self, api: ModuleType, body: dict[str, Any], is_document: bool) -> None:
        exchange = api.read(body)
        answer = reply(exchange)
        id_ = str(next(_ids))
        if is_document or not exchange.streams:
            if answer.is_slow:
                self._is_left(PAUSE * len(answer.parts))
            self._send(api.document(body, answer, id_))
            return
        self._head(200, "text/event-stream")
        for name, data in api.events(body, answer, id_):
            text = data if isinstance(data, str) else json.dumps(data)
            kind = f"event: {name}\n" if name else ""
            self.wfile.write(f"{kind}data: {text}\n\n".encode())
            self.wfile.flush()
            if answer.is_slow and self._is_left(PAUSE):
                break

    def _is_left(self, timeout: float) -> bool:
        """Return whether the agent closes the connection within `timeout` seconds."""
        self.server.waits.set()
        return bool(select.select([self.connection], [], [], timeout)[0])

    def _send(self, document: Any, status: int = 200) -> None:
        self._head(status, "application/json")
        self.wfile.write(json.dumps(document).encode())

    def _head(self, status: int, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Connection", "close")
        self.end_headers()


@contextmanager
def serving(log: Path) -> Generator[Server]:
    with Server(log) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
