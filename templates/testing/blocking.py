"""A scripted client for tests that aren't coroutines."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Mapping, Sequence
from types import TracebackType
from typing import Any, TypeVar

from .client import Client, Turn
from .expecting import Pattern
from .party import Call

T = TypeVar("T")


class BlockingClient:
    """A blocking `Client` that is connected while its context manager is active.

    The client runs in an event loop in a separate thread. An agent that is tested in this process
    also runs in this loop and keeps running between calls. The tests themselves can use another
    event loop.

    Attributes:
        client: the underlying client.
    """

    def __init__(self, client: Client) -> None:
        self.client = client
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> BlockingClient:
        self._thread.start()
        try:
            self._run(self.client.__aenter__())
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            self._run(self.client.__aexit__(kind, error, traceback))
        finally:
            self._close()

    @property
    def version(self) -> int:
        """The negotiated protocol version, or 0 before `initialize`."""
        return self.client.version

    @property
    def introduction(self) -> Any:
        """The agent's response to `initialize` in JSON, or None until it arrives."""
        return self.client.introduction

    @property
    def session_id(self) -> str | None:
        """The id of the session that was opened last, or None."""
        return self.client.session_id

    @property
    def sessions(self) -> Mapping[str, Any]:
        """The agent's responses to `session/new` in JSON, by session id."""
        return self.client.sessions

    @property
    def updates(self) -> list[Any]:
        """All updates of all sessions, in JSON."""
        return self.client.updates

    @property
    def files(self) -> dict[str, str]:
        """The contents of the client's files, by path."""
        return self.client.files

    @property
    def calls(self) -> list[Call]:
        """The agent's requests, in order."""
        return self.client.calls

    @property
    def notes(self) -> list[Any]:
        """The agent's notifications in JSON, in order."""
        return self.client.notes

    def initialize(self, **members: Any) -> Any:
        """See `Client.initialize`."""
        return self._run(self.client.initialize(**members))

    def new_session(self, cwd: str = "/", **members: Any) -> str:
        """See `Client.new_session`."""
        return self._run(self.client.new_session(cwd, **members))

    def prompt(
        self,
        prompt: str | Sequence[Any],
        *,
        session_id: str | None = None,
        cancel_at: Pattern | None = None,
        timeout: float | None = None,
    ) -> Turn:
        """See `Client.prompt`."""
        turn = self.client.prompt(
            prompt, session_id=session_id, cancel_at=cancel_at, timeout=timeout
        )
        return self._run(turn)

    def cancel(self, session_id: str | None = None) -> None:
        """See `Client.cancel`."""
        self._run(self.client.cancel(session_id))

    def request(self, method: str, params: Any = None, *, timeout: float | None = None) -> Any:
        """See `Client.request`."""
        return self._run(self.client.request(method, params, timeout=timeout))

    def notify(self, method: str, params: Any = None) -> None:
        """See `Client.notify`."""
        self._run(self.client.notify(method, params))

    def _run(self, call: Coroutine[Any, Any, T]) -> T:
        # This call doesn't block forever, since each of the client's waits has a timeout.
        return asyncio.run_coroutine_threadsafe(call, self._loop).result()

    def _close(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
