"""Calls that notify a client's handler when sessions are opened and closed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ..jsonrpc.errors import RESOURCE_NOT_FOUND, RequestError
from ..jsonrpc.events import Failure, Response
from ..jsonrpc.handler import Handler
from ..jsonrpc.logs import call_back, logger_of
from ..jsonrpc.method import Method
from .tasks import drop, wait_done

_log = logger_of(__name__)


class SessionLives:
    """The open sessions of a client.

    The client's handler is notified when sessions are opened and closed. The handler's methods,
    such as `Handler.opened` and `Handler.closed`, can be `async`.
    """

    def __init__(self, handler: Callable[[], Handler | None]) -> None:
        self._handler = handler
        # The directories of each open session. The program or the bridge limits the number of
        # sessions.
        self._open: dict[str, tuple[str, list[str]]] = {}
        # The last unfinished call for each session. The next call for the session waits for it.
        self._unfinished: dict[str | None, asyncio.Task[None]] = {}
        self._opening: set[asyncio.Task[None]] = set()

    def open(self, session_id: str, cwd: str, additional_directories: Sequence[str]) -> bool:
        """Notify the handler of an open session if the session or its directories are new.

        Returns:
            True if the session is new.
        """
        handler, before = self._handler(), self._open.get(session_id)
        directories = cwd, list(additional_directories)
        if handler is not None and before != directories:
            self._open[session_id] = directories
            arguments = session_id, cwd, list(additional_directories)
            task = self._call(session_id, "opened", handler.opened, *arguments)
            if task is not None:
                self._opening.add(task)
                task.add_done_callback(self._opening.discard)
        return before is None

    def close(self, session_id: str) -> None:
        """Notify the handler that a session is closed, if it was notified of the opening."""
        handler = self._handler()
        if self._open.pop(session_id, None) is not None and handler is not None:
            self._call(session_id, "closed", handler.closed, session_id)

    def connect(self, peer: object) -> None:
        """Notify the handler that it is connected to a peer.

        Raises:
            Exception: If the handler's `connected` method fails.
        """
        handler = self._handler()
        result = None if handler is None else handler.connected(peer)
        if result is not None:
            self._start(None, "connected", result, None, lambda: None)

    def disconnect(self) -> None:
        """Notify the handler that nothing more can arrive."""
        handler = self._handler()
        if handler is not None:
            self._call(None, "disconnected", handler.disconnected)

    def follow(
        self,
        method: Method[Any, Any],
        params: Any,
        on_response: Callable[[Response | Failure], None] | None,
    ) -> Callable[[Response | Failure], None]:
        """Track a sent request that opens, restores or closes a session.

        Args:
            method: the method of the request.
            params: the params of the request.
            on_response: the callback of the request; see `Peer.request`.

        Returns:
            The callback to use instead of `on_response`.
        """
        cwd = getattr(params, "cwd", None) or ""
        directories = getattr(params, "additional_directories", None) or ()
        # A restored session is opened immediately, since the agent can request files before it
        # responds.
        is_new = method.life == "restores" and self.open(params.session_id, cwd, directories)

        def settle(event: Response | Failure) -> None:
            if on_response is not None:
                call_back(on_response, event, what="the on_response callback", log=_log)
            if isinstance(event, Response):
                if method.life == "opens":
                    self.open(event.result.session_id, cwd, directories)
                is_over = method.life == "ends"
            else:
                is_over = is_new or (method.life == "ends" and _is_unknown(event))
            if is_over:
                self.close(params.session_id)

        return settle

    async def end(self, grace: float) -> None:
        """Close all sessions and wait until the handler's calls have finished.

        Args:
            grace: how long the calls may take, in seconds.
        """
        for opening in self._opening:
            opening.cancel()
        for session_id in list(self._open):
            self.close(session_id)
        if self._unfinished:
            await asyncio.wait(self._unfinished.values(), timeout=grace)
        for task in self._unfinished.values():
            task.cancel()
        await asyncio.sleep(0)
        for task in [task for task in self._unfinished.values() if not task.done()]:
            drop(task, f"a handler did not finish within {grace:g} seconds; dropping it")
            await asyncio.sleep(0)  # let the task finish

    def _call(
        self, session_id: str | None, name: str, method: Callable[..., Any], *args: Any
    ) -> asyncio.Task[None] | None:
        """Call a method of the handler and return the task that awaits the result, if any."""
        call = partial(call_back, method, *args, what=name, log=_log)
        before = self._unfinished.get(session_id)
        result = call() if before is None else None
        if before is None and not hasattr(result, "__await__"):
            return None
        return self._start(session_id, name, result, before, call)

    def _start(
        self,
        session_id: str | None,
        name: str,
        result: Any,
        before: asyncio.Task[None] | None,
        call: Callable[[], Any],
    ) -> asyncio.Task[None]:
        task = asyncio.create_task(_finish(name, result, before, call))
        self._unfinished[session_id] = task
        task.add_done_callback(partial(self._forget, session_id))
        return task

    def _forget(self, session_id: str | None, task: asyncio.Task[None]) -> None:
        if self._unfinished.get(session_id) is task:
            del self._unfinished[session_id]


async def _finish(
    name: str, result: Any, before: asyncio.Task[None] | None, call: Callable[[], Any]
) -> None:
    """Await the result of a call. If there is a previous call, make the call after it."""
    if before is not None:
        await wait_done(before)
        result = call()
    if hasattr(result, "__await__"):
        try:
            await result
        except Exception:
            _log.exception("%s failed", name)


def _is_unknown(event: Failure) -> bool:
    """Return whether a failure means that the agent has no such session."""
    return isinstance(event.error, RequestError) and event.error.code == RESOURCE_NOT_FOUND
