"""A scripted client for testing agents."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, TypeAlias

from ..runtime.aio import Handlers, Observer, Stream, memory_streams, serve
from ..runtime.jsonrpc.errors import RESOURCE_NOT_FOUND, RequestError
from ..runtime.values.surrogates import join_halves
from .expecting import Pattern, expect, matches
from .party import Call, Party, Script
from .values import (
    PERMISSION,
    advertise_answers,
    content_as_json,
    facts,
    is_mapping,
    surface,
    versions,
)
from .wire import TIMEOUT, Wire, WireError

# An agent under test: a handler, a sequence of handlers, a command, or a stream.
AgentUnderTest: TypeAlias = (
    "Handlers | Sequence[Handlers] | Sequence[str | os.PathLike[str]] | Stream"
)

_INFO = {"name": "scripted", "version": "1"}
_READ, _WRITE = "fs/read_text_file", "fs/write_text_file"
_INITIALIZE = "initialize"


def _future() -> asyncio.Future[None]:
    return asyncio.get_running_loop().create_future()


@dataclass(eq=False)
class Turn:
    """The agent's response to a prompt.

    Attributes:
        session_id: the session's id.
        version: the negotiated protocol version.
        updates: the session's updates between the prompt and the end of the turn, in JSON.
        questions: the agent's requests during the turn, with their responses.
        result: the result of the prompt request, in JSON.
        stop_reason: the agent's stop reason.
        cancel_at: a pattern for the update that makes the client cancel the turn.
        is_cancelled: whether the client cancelled the turn.
        end: a future that is done once the turn is over.
    """

    session_id: str
    version: int
    cancel_at: Pattern | None = None
    updates: list[Any] = field(default_factory=list[Any])
    questions: list[Call] = field(default_factory=list[Call])
    result: Any = None
    stop_reason: str | None = None
    is_cancelled: bool = False
    end: asyncio.Future[None] = field(default_factory=_future)

    @property
    def text(self) -> str:
        """The text of the agent's message chunks."""
        chunk = facts(self.version).chunks["agent"]
        said = [update for update in self.updates if update["sessionUpdate"] == chunk]
        return join_halves("".join(update["content"].get("text", "") for update in said))

    def typed(self) -> list[Any]:
        """Decode the updates in strict mode.

        Raises:
            DecodeError: If an update does not match the schema.
        """
        types = surface(self.version)
        updates = types.TYPES[types.FACTS.updates]
        return [types.decode(updates, each, strict=True) for each in self.updates]

    def accept(self, result: Any) -> None:
        """Handle the result of the prompt request, which ends the turn in protocol 1."""
        self.result = result
        if facts(self.version).response_ends_turn:
            self.finish(result)

    def take(self, update: Any) -> bool:
        """Handle an update and return whether to cancel the turn now."""
        self.updates.append(update)
        is_awaited = self.cancel_at is not None and not self.is_cancelled
        return is_awaited and matches(update, self.cancel_at)

    @property
    def has_begun(self) -> bool:
        """True if the agent accepted the prompt and reported the user's message in the session."""
        result: Any = self.result or {}
        message_id = result.get("messageId")
        known = facts(self.version)
        tags = (known.chunks["user"], known.messages.get("user"))
        return message_id is not None and any(
            update["sessionUpdate"] in tags and update.get("messageId") == message_id
            for update in self.updates
        )

    def finish(self, message: Any) -> None:
        """End the turn with its last message: the result of the prompt request, or an update."""
        if not self.end.done():
            self.stop_reason = message.get("stopReason")
            self.end.set_result(None)

    def expect(self, *patterns: Pattern, exactly: bool = False) -> None:
        """Compare the updates with patterns, as the function `expect` does.

        Raises:
            AssertionError: If the updates don't match.
        """
        __tracebackhide__ = True
        expect(self.updates, *patterns, exactly=exactly)


class Client(Party):
    """A client that a test controls and that is connected while its context manager is active.

        async with Client(MyAgent) as client:
            turn = await client.prompt("Clean up")
            turn.expect(tool_call("rm", status="completed"), "Done.")

    The client requests the newest protocol version and uses the version in the agent's response. By
    default, it grants all permission requests. The agent can read and write the files that are
    passed to the client.

    Attributes:
        updates: all updates of all sessions, in JSON.
        files: the contents of the client's files, by path.
        introduction: the agent's response to `initialize`, in JSON, or None before it arrives.
        sessions: the agent's responses to `session/new`, in JSON, by session id. The responses
            contain the sessions' modes and options.
        session_id: the id of the session that was opened last, or None.
    """

    side = "client"

    def __init__(
        self,
        agent: AgentUnderTest,
        *,
        permission: bool | str | None = True,
        files: Mapping[str, str] | None = None,
        answers: Mapping[str, Script] | None = None,
        capabilities: Mapping[str, Any] | None = None,
        version: int | None = None,
        bridge: bool = False,
        timeout: float = TIMEOUT,
        observe: Observer | None = None,
    ) -> None:
        """Create a client.

        Args:
            agent: the agent to test. This is a handler, a sequence of handlers (as for `serve`), a
                command, or a stream.
            permission: the id of the option to select in permission requests, True for the first
                option that allows the action, False for the first option that rejects it, or None
                to respond with `cancelled`.
            files: the contents of the files that the agent can read and write, by path. They are
                used only in protocol versions with file methods, such as protocol 1.
            answers: the responses to the agent's requests, by method. Each response is a result, a
                `RequestError`, or steps that run before the default result is sent.
            capabilities: the capabilities to advertise; by default, the capabilities for the
                methods in `answers` and for the file methods of the protocol version, if any.
            version: the protocol version to request and require; by default, the newest version
                that both sides support.
            bridge: whether handlers can also serve a client that speaks the other protocol version;
                see `serve`.
            timeout: the maximum time for each wait, in seconds.
            observe: a function to call for each line, for example the result of `log_to`.
        """
        super().__init__(answers, timeout)
        self.updates: list[Any] = []
        self.files = dict(files or {})
        self.introduction: Any = None
        self.sessions: dict[str, Any] = {}
        self.session_id: str | None = None
        self._agent = agent
        self._permission = permission
        self._capabilities = capabilities
        self._asked = version
        self._bridge = bridge
        self._observe = observe
        self._turns: list[Turn] = []  # each turn is removed when its `prompt` call returns
        # `_introducing` is locked during `initialize`, and `_opening` is locked while a prompt
        # opens a session. Both locks are released after `timeout` at the latest, since the
        # requests then time out.
        self._introducing, self._opening = asyncio.Lock(), asyncio.Lock()
        self._running: list[asyncio.Task[Any]] = []

    async def __aenter__(self) -> Client:
        agent: Any = self._agent
        options: Any = {"timeout": self._timeout, "observe": self._observe}
        parts: Sequence[Any] = agent if isinstance(self._agent, Sequence) else [agent]
        if all(isinstance(part, str | os.PathLike) for part in parts):
            self._wire = await Wire.start(agent, **options)
        elif hasattr(agent, "drain"):
            self._wire = Wire(agent, **options)
        else:
            near, far = memory_streams()
            serving = serve(far, *parts, grace=self._timeout, debug=True, bridge=self._bridge)
            self._running.append(asyncio.create_task(serving))
            self._wire = Wire(near, **options)
        self._running.append(asyncio.create_task(self.listen()))
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.wire.close()
        await asyncio.wait(self._running)
        problems = [task.exception() for task in self._running]
        for problem in problems:
            if problem is not None and error is None:
                raise problem

    # --- actions of a test -------------------------------------------------------------------

    async def initialize(self, **members: Any) -> Any:
        """Initialize the connection.

        Args:
            members: params to send instead of the default params, by their JSON names.

        Returns:
            The result, in JSON.

        Raises:
            AssertionError: If the agent responds with a version that was not requested.
            RequestError: If the response is an error.
        """
        result = await self.request(_INITIALIZE, members or self._introduction())
        if self.introduction is not result:
            version = self._spoken[-1]
            answered: Any = result.get("protocolVersion") if is_mapping(result) else result
            requested = f"the client requested protocol version {version}"
            raise AssertionError(f"{requested}, but the agent responded with {answered!r}")
        return result

    @property
    def _spoken(self) -> tuple[int, ...]:
        """The supported versions, in ascending order."""
        return versions() if self._asked is None else (self._asked,)

    def _introduction(self) -> dict[str, Any]:
        """Return the default `initialize` params, with the fields of each supported version."""
        params: dict[str, Any] = {"protocolVersion": self._spoken[-1]}
        for version in self._spoken:
            known = facts(version)
            params |= {
                known.infos["client"]: _INFO,
                known.capabilities["client"]: dict(self._capabilities or {}),
            }
        if self._capabilities is None:
            for version in self._spoken:
                advertise_answers(params, version, self.side, [*self._answers, _READ, _WRITE])
        return params

    async def request(
        self,
        method: str,
        params: Any = None,
        *,
        timeout: float | None = None,
        respond: Callable[[Any], object] = lambda result: None,
    ) -> Any:
        """Send a request as `Party.request` does. Send `initialize` first if necessary."""
        if method != _INITIALIZE:
            await self._introduce()
        result = await super().request(method, params, timeout=timeout, respond=respond)
        if method == _INITIALIZE and is_mapping(result):
            answered: Any = result.get("protocolVersion")
            if answered in self._spoken:
                self.version, self.introduction = answered, result
        return result

    async def notify(self, method: str, params: Any = None) -> None:
        """Send a notification. Send `initialize` first if necessary."""
        await self._introduce()
        await super().notify(method, params)

    async def _introduce(self) -> None:
        async with self._introducing:
            if not self.version:
                await self.initialize()

    async def new_session(self, cwd: str = "/", **members: Any) -> str:
        """Open a session for the next prompts. Send `initialize` first if necessary.

        Args:
            cwd: the working directory.
            members: other fields of the params, by their JSON names.

        Returns:
            The session's id; `sessions` contains the complete response.

        Raises:
            WireError: If the response contains no session id.
        """
        params: dict[str, Any] = {"cwd": cwd, "mcpServers": [], **members}
        opened = await self.request("session/new", params)
        session_id: Any = opened.get("sessionId") if is_mapping(opened) else None
        if not isinstance(session_id, str):
            raise WireError(self.wire.told("the response to session/new has no 'sessionId'"))
        self.sessions[session_id] = opened
        self.session_id = session_id
        return session_id

    async def prompt(
        self,
        prompt: str | Sequence[Any],
        *,
        session_id: str | None = None,
        cancel_at: Pattern | None = None,
        timeout: float | None = None,
    ) -> Turn:
        """Send a prompt and wait until its turn is over. Open a session first if necessary.

        Several prompts can be sent to a session at the same time. Each turn then records all of the
        session's updates and questions from its prompt to its end.

        Args:
            prompt: text, or content blocks as JSON or typed objects.
            session_id: the session's id; by default, the session that was opened last.
            cancel_at: a pattern, as for `expect`, for the update that makes the client cancel the
                turn.
            timeout: the maximum time to wait for the response, and separately for the end of the
                turn, in seconds; by default, the client's timeout.

        Raises:
            RequestError: If the response is an error.
            Silent: If the turn does not end in time.
            Ended: If the connection closes.
        """
        if not session_id:
            async with self._opening:
                session_id = self.session_id or await self.new_session()
        turn = Turn(session_id, self.version, cancel_at)
        blocks: Any = [{"type": "text", "text": prompt}] if isinstance(prompt, str) else prompt
        content: list[Any] = [content_as_json(block) for block in blocks]
        params = {"sessionId": session_id, "prompt": content}
        self._turns.append(turn)
        try:
            await self.request("session/prompt", params, timeout=timeout, respond=turn.accept)
            await self.wait(turn.end, "the end of the turn", timeout)
        finally:
            self._turns.remove(turn)
        return turn

    async def cancel(self, session_id: str | None = None) -> None:
        """Cancel a session's turns and the agent's pending permission requests.

        Args:
            session_id: the session's id; by default, the session that was opened last.
        """
        session_id = session_id or self.session_id
        turns = self._turns_in(session_id)
        for turn in turns:
            turn.is_cancelled = True
        await self.notify("session/cancel", {"sessionId": session_id})
        for call in [call for turn in turns for call in turn.questions]:
            if call.method == PERMISSION and not call.is_answered:
                await call.answer(_CANCELLED)

    def _turns_in(self, session_id: str | None) -> list[Turn]:
        """Return a session's turns that are not over."""
        turns = [turn for turn in self._turns if turn.session_id == session_id]
        return [turn for turn in turns if not turn.end.done()]

    # --- the agent's messages --------------------------------------------------------------------

    def notified(self, method: str, params: Any) -> None:
        """Record an update, which can end or cancel turns."""
        if method != "session/update":
            return
        session_id, update = params["sessionId"], params["update"]
        self.updates.append(update)
        turns = self._turns_in(session_id)
        are_cancelled = [turn.take(update) for turn in turns]
        if any(are_cancelled):
            self.start(self.cancel(session_id))
        # An idle update ends only the turns that have begun, since a session can become idle before
        # its next accepted turn begins. If no turn has begun, the update ends the first accepted
        # turn.
        accepted = [turn for turn in turns if turn.result is not None]
        idle = facts(self.version).idle if accepted else None
        if idle is not None and idle.items() <= update.items():
            for turn in [turn for turn in accepted if turn.has_begun] or accepted[:1]:
                turn.finish(update)

    def call(self, message: Mapping[str, Any]) -> Call:
        """Record a request in the open turns of its session."""
        call = super().call(message)
        for turn in self._turns_in(call.session_id):
            turn.questions.append(call)
        return call

    @property
    def standard(self) -> Mapping[str, Callable[[Call], Any]]:
        """The default results of permission and file requests."""
        return {
            PERMISSION: self._choose,
            _READ: self._read,
            _WRITE: self._write,
        }

    def _choose(self, call: Call) -> Any:
        turns = self._turns_in(call.session_id)
        if self._permission is None or (turns and all(turn.is_cancelled for turn in turns)):
            return _CANCELLED
        options: list[Any] = call.params["options"]
        wanted = self._permission
        if isinstance(wanted, bool):
            kind = "allow" if wanted else "reject"
            fitting = [each for each in options if each["kind"].startswith(kind)]
        else:
            fitting = [each for each in options if each["optionId"] == wanted]
        if not fitting:
            raise AssertionError(f"no option matches permission={wanted!r}: {options}")
        return {"outcome": {"outcome": "selected", "optionId": fitting[0]["optionId"]}}

    def _read(self, call: Call) -> Any:
        path, start, limit = (call.params.get(name) for name in ("path", "line", "limit"))
        if path not in self.files:
            raise RequestError(RESOURCE_NOT_FOUND, f"no such file: {path}")
        first = max((start or 1) - 1, 0)
        lines = self.files[path].splitlines(keepends=True)[first:]
        return {"content": "".join(lines if limit is None else lines[:limit])}

    def _write(self, call: Call) -> Any:
        self.files[call.params["path"]] = call.params["content"]
        return {}


_CANCELLED = {"outcome": {"outcome": "cancelled"}}
