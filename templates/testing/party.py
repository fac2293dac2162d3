"""One side of a connection, played by scripts: one script for each of the peer's requests."""

from __future__ import annotations

import asyncio
import itertools
import math
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from ..runtime.jsonrpc.errors import METHOD_NOT_FOUND, RequestError
from ..runtime.values.unset import UNSET
from .values import Update, as_json, is_mapping, is_typed
from .wire import Ended, Silent, Wire, WireError


@dataclass(frozen=True, slots=True)
class Step:
    """One action of a script, created by the functions in `steps` and `faults`.

    Attributes:
        text: the call that created the step, used as its `repr`.
        run: a function that runs the step and returns the value that a generator receives.
    """

    text: str
    run: Callable[[Call], Awaitable[Any]]

    def __repr__(self) -> str:
        return self.text


# One action of a script: a step, an update to send, or a string to send as the agent's message.
Item: TypeAlias = Step | Update | Mapping[str, Any] | str | Any
# The actions for a request, in order. A generator receives the result of each action.
Steps: TypeAlias = Iterable[Item] | Item
# The actions for a request, or a function that accepts the request and returns the actions.
Script: TypeAlias = Steps | Callable[["Call"], Steps]


@dataclass(eq=False)
class Call:
    """A request from the peer, as passed to a script.

    Attributes:
        party: the party that handles the request.
        method: the method.
        params: the params, in JSON.
        id: the request's id.
        result: the result that was sent, in JSON.
        error: the error that was sent.
        is_answered: whether a response was sent.
        is_over: if true, no default message is sent when the script ends.
    """

    party: Party
    method: str
    params: Any
    id: Any
    result: Any = None
    error: RequestError | None = None
    is_answered: bool = False
    is_over: bool = False

    @property
    def version(self) -> int:
        """The negotiated protocol version."""
        return self.party.version

    @property
    def session_id(self) -> str | None:
        """The session id in the request, or None."""
        return self.params.get("sessionId") if is_mapping(self.params) else None

    async def answer(self, result: Any = None) -> None:
        """Send a result as JSON or as a typed object. If it is None, send an empty object."""
        self.is_answered = self.is_over = True
        self.result = as_json(result) if result is not None else {}
        await self.party.send({"id": self.id, "result": self.result})

    async def fail(self, error: RequestError) -> None:
        """Send an error response."""
        self.is_answered = self.is_over = True
        self.error = error
        members: dict[str, Any] = {"code": error.code, "message": error.message}
        if error.data is not UNSET:
            members["data"] = error.data
        await self.party.send({"id": self.id, "error": members})

    async def update(self, value: Any) -> None:
        """Send a session update."""
        raise TypeError(f"the {self.party.side} cannot send updates here: {value!r}")

    async def ask(self, method: str, params: Mapping[str, Any]) -> Any:
        """Send a request about the session and return the result as JSON.

        Raises:
            RequestError: If the response is an error.
            Silent: If no response arrives in time.
        """
        if self.session_id is not None:
            params = {"sessionId": self.session_id, **params}
        return await self.party.request(method, params)


@dataclass(frozen=True, slots=True)
class _Pending:
    """A request whose response has not arrived."""

    response: asyncio.Future[Any]
    respond: Callable[[Any], object]


class Party:
    """One side of a connection, played by scripts.

    Attributes:
        side: `agent` or `client`.
        version: the negotiated protocol version, or 0 before `initialize`.
        calls: the peer's requests, in order.
        notes: the peer's notifications in JSON, in order.
        exit: a function that exits this process, or None if the party isn't played in a separate
            process.
        lives_on: whether a separate process keeps running after the connection closes.
    """

    side = ""

    def __init__(self, answers: Mapping[str, Script] | None, timeout: float) -> None:
        self.version = 0
        self.calls: list[Call] = []
        self.notes: list[Any] = []
        self.exit: Callable[[int], None] | None = None
        self.lives_on = False
        self._answers = dict(answers or {})
        self._timeout = timeout
        self._wire: Wire | None = None
        self._ids = itertools.count(1)
        self._pending: dict[Any, _Pending] = {}
        self._waited: set[asyncio.Future[Any]] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._problem: BaseException | None = None

    @property
    def wire(self) -> Wire:
        """The connection.

        Raises:
            RuntimeError: If the party is not connected yet.
        """
        if self._wire is None:
            raise RuntimeError(f"the {self.side} is not connected yet")
        return self._wire

    # --- sending -----------------------------------------------------------------------------

    async def send(self, message: Any) -> None:
        """Send a message, adding the JSON-RPC version. Bytes are sent unchanged, as one line."""
        if is_mapping(message):
            message = {"jsonrpc": "2.0", **message}
        await self.wire.send(message)

    async def notify(self, method: str, params: Any = None) -> None:
        """Send a notification."""
        await self.send({"method": method, "params": as_json(params)})

    async def request(
        self,
        method: str,
        params: Any = None,
        *,
        timeout: float | None = None,
        respond: Callable[[Any], object] = lambda result: None,
    ) -> Any:
        """Send a request and return the result as JSON.

        Args:
            method: the method.
            params: the params, in JSON or as a typed object.
            timeout: the maximum time to wait for the response, in seconds; by default, the party's
                timeout.
            respond: called with the result when it arrives, before any later message is processed.

        Raises:
            RequestError: If the response is an error.
            Silent: If no response arrives in time.
            Ended: If the connection closes.
        """
        id_ = next(self._ids)
        response: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._pending[id_] = _Pending(response, respond)
        await self.send({"id": id_, "method": method, "params": as_json(params)})
        return await self.wait(response, f"the response to {method}", timeout)

    async def wait(self, future: asyncio.Future[Any], what: str, timeout: float | None) -> Any:
        """Wait for a future, up to a timeout. Raise the error that ended the wait, if any."""
        limit = self._timeout if timeout is None else timeout
        self._waited.add(future)
        await asyncio.wait([future], timeout=limit)
        self._waited.discard(future)
        if future.cancelled() and self._problem is not None:
            raise self._problem
        if not future.done():
            raise Silent(self.wire.told(f"timed out after {limit:g} s waiting for {what}"))
        return future.result()

    # --- listening ---------------------------------------------------------------------------

    async def listen(self) -> None:
        """Receive the peer's messages until it closes the connection, and then stop all scripts.

        Raises:
            Exception: If a script raises an exception. Only the first exception is re-raised.
        """
        try:
            while True:
                seen = await self.wire.receive(timeout=math.inf)
                try:
                    if is_mapping(seen.message):
                        self._take(dict(seen.message))
                except (AttributeError, KeyError, TypeError) as error:
                    reason = self.wire.told(f"malformed message: {error!r}")
                    raise WireError(reason) from error
        except WireError as problem:  # for example, the connection closed
            self._stop(problem)
        finally:
            for task in self._tasks:
                task.cancel()
        if self._problem is not None and not isinstance(self._problem, Ended):
            raise self._problem

    def _take(self, message: dict[str, Any]) -> None:
        if "method" not in message:
            self.responded(message)
        elif "id" not in message:
            self.notes.append(message)
            self.notified(message["method"], message.get("params"))
        else:
            call = self.call(message)
            self.calls.append(call)
            self.start(self._serve(call))

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Start a task, which is cancelled when the connection closes."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def call(self, message: Mapping[str, Any]) -> Call:
        """Create the `Call` object for a request."""
        return Call(self, message["method"], message.get("params"), message["id"])

    def responded(self, message: Mapping[str, Any]) -> None:
        """Handle a response."""
        pending = self._pending.pop(message.get("id"), None)
        if pending is None or pending.response.done():
            return
        if "error" in message:
            error = message["error"]
            data = error.get("data", UNSET)
            refusal = RequestError(error.get("code"), error.get("message"), data)
            pending.response.set_exception(refusal)
        else:
            pending.respond(message.get("result"))
            pending.response.set_result(message.get("result"))

    def notified(self, method: str, params: Any) -> None:
        """Handle a notification."""

    async def hang_up(self) -> None:
        """Close the connection."""
        await self.wire.close()

    def _stop(self, problem: BaseException) -> None:
        """Make all waits fail after an error or the end of the connection."""
        self._problem = self._problem or problem
        for future in self._waited:
            future.cancel()

    # --- scripts -----------------------------------------------------------------------------

    async def _serve(self, call: Call) -> None:
        try:
            try:
                await self._play(call, self.script(call))
                await self.finish(call)
            except RequestError as error:
                if call.is_answered:
                    raise
                await call.fail(error)
        except Ended:
            pass
        except Exception as error:  # raised by the script; `listen` re-raises it
            self._stop(error)
            await self.hang_up()

    def script(self, call: Call) -> Script:
        """Return the script for a request.

        Raises:
            RequestError: If the method has no script and no default result.
        """
        if call.method in self._answers:
            return self._answers[call.method]
        standard: Callable[[Call], Any] | None = self.standard.get(call.method)
        if standard is None:
            raise RequestError(METHOD_NOT_FOUND, f"this {self.side} does not support {call.method}")
        return standard(call)

    @property
    def standard(self) -> Mapping[str, Callable[[Call], Any]]:
        """The default results of requests, by method."""
        return {}

    async def finish(self, call: Call) -> None:
        """Send the default response if the script ended without sending one."""
        if not call.is_answered:
            standard = self.standard.get(call.method)
            await call.answer(standard(call) if standard is not None else None)

    async def _play(self, call: Call, script: Script) -> None:
        steps: Any = script(call) if callable(script) else script
        if steps is None:  # the function returned no steps
            return
        if isinstance(steps, RequestError):
            raise steps
        if is_mapping(steps) or is_typed(steps):
            await call.answer(steps)
        elif isinstance(steps, Generator):
            await self._play_generator(call, cast("Generator[object, object, object]", steps))
        else:
            for item in [steps] if isinstance(steps, str | Step | Update) else steps:
                await self._do(call, item)

    async def _play_generator(self, call: Call, steps: Generator[object, object, object]) -> None:
        result: Any = None
        error: RequestError | None = None
        while True:
            try:
                item = steps.send(result) if error is None else steps.throw(error)
            except StopIteration:
                return
            result = error = None
            try:
                result = await self._do(call, item)
            except RequestError as refusal:
                error = refusal

    async def _do(self, call: Call, item: Any) -> Any:
        return await (item.run(call) if isinstance(item, Step) else call.update(item))
