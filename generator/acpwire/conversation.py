"""The state that is needed to continue a conversation over another connection.

    client -> `from_client` -> agent
    client <- `from_agent`, `interrupt` <- agent

A `Conversation` remembers the client's `initialize` request, the open sessions, the pending
requests of both sides, and the running turns. It performs no I/O.

1. When the connection is lost, the client's pending requests fail. The agent's pending requests are
   cancelled, and the client's responses to them are discarded.
2. If a turn is running but its request is not pending, as in protocol 2, the client receives an
   update that ends the turn.
3. If the next agent uses the id of a request that the client is still handling for the previous
   agent, the new request gets a different id.
4. An agent that loads a session replays its history, which the client already has. Therefore, the
   session's updates are dropped until the agent responds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from itertools import count
from typing import Any, Final

from acp_bindings.kit.links import RETURNING
from acp_bindings.runtime.jsonrpc.envelope import Message, session_id_of
from acp_bindings.runtime.jsonrpc.errors import INTERNAL_ERROR
from acp_bindings.runtime.jsonrpc.messages import CANCEL_REQUEST, as_version, has_outcome
from acp_bindings.runtime.jsonrpc.method import INITIALIZE, VERSION, Method, Surface
from acp_bindings.runtime.session.facts import Facts
from acp_bindings.runtime.session.state import State
from acp_bindings.runtime.values.errors import DecodeError

from acpwire.json_values import locate
from acpwire.message_lines import error_response, to_message
from acpwire.rules.capabilities import PROMPT
from acpwire.surfaces import VERSIONS, facts_of, load, surfaces_of

_UPDATE: Final = "session/update"
# The requests that sign the user out, in protocols 1 and 2.
_SIGN_OUTS: Final = ("logout", "auth/logout")
_REQUEST_ID: Final = "requestId"
# The value that replaces the id of an agent's request when the connection to the agent is lost.
_LOST: Final = object()
# The maximum number of sessions to restore. A limit is necessary because sessions are never closed
# if the agent doesn't support `session/close`. Above this limit, the oldest sessions are forgotten.
_MOST_SESSIONS: Final = 1_000


@dataclass(frozen=True, slots=True)
class Restoration:
    """A request that restores a session.

    Attributes:
        session_id: the session's id.
        method: the method.
        params: the method's params, in JSON.
        is_replayed: whether the agent sends the session's history before it responds.
    """

    session_id: str
    method: Method[Any, Any]
    params: dict[str, Any]
    is_replayed: bool


@dataclass(frozen=True, slots=True)
class _Protocol:
    """The parts of the bindings that a conversation in a supported version needs."""

    surface: Surface
    facts: Facts
    state: Callable[[], State[Any, Any, Any]]  # the class of session states


class Conversation:
    """The messages that a client and an agent exchange over successive connections.

    Attributes:
        introduction: the client's `initialize` request, or None until the client sends it.
        sign_in: the last successful sign-in request, or None if there was none.
    """

    def __init__(self) -> None:
        self.introduction: Message | None = None
        self.sign_in: tuple[str, dict[str, Any]] | None = None
        self._version: int | None = None  # None until the agent responds to `initialize`
        self._protocol: _Protocol | None = None  # None for an unsupported version
        self._advertised: Mapping[str, Any] = {}  # the agent's last response to `initialize`
        self._pending: dict[Any, tuple[str, dict[str, Any]]] = {}  # the client's requests, by id
        # The ids of the agent's requests, by the ids that the client sees.
        self._questions: dict[Any, Any] = {}
        self._fresh = count(1)
        self._sessions: dict[str, dict[str, Any]] = {}  # the params that opened the sessions, by id
        self._active: set[str] = set()  # sessions with a running turn, which an update will end
        self._hidden: str | None = None  # the session whose history is being replayed

    @property
    def is_initialized(self) -> bool:
        """True if the agent responded to `initialize`."""
        return self._version is not None

    # --- messages ----------------------------------------------------------------------------

    def from_client(self, message: Message) -> Message | None:
        """Return the message to send to the agent, or None if it must not be sent."""
        value = message.parse()
        id_ = message.read_envelope().id
        if type(value) is not dict or id_ is None:
            return message
        if has_outcome(value):
            original = self._questions.pop(id_, id_)
            if original is _LOST:
                return None
            return message if original == id_ else to_message({**value, "id": original})
        method = value.get("method")
        if isinstance(method, str):
            self._pending[id_] = method, _object(value.get("params"))
            if method == INITIALIZE:
                self.introduction = message
        return message

    def from_agent(self, message: Message) -> list[Message]:
        """Return the messages to pass to the client."""
        try:
            value = message.parse()
        except DecodeError:
            return [message]  # the client reports the error
        if type(value) is not dict:
            return [message]
        id_ = message.read_envelope().id
        if has_outcome(value):
            request = self._pending.pop(id_, None)
            if request is not None and "error" not in value:
                self._learn(*request, _object(value.get("result")))
            return [message]
        params = _object(value.get("params"))
        if id_ is not None:
            shown = id_
            while shown in self._questions:
                shown = f"{id_}:{next(self._fresh)}"
            self._questions[shown] = id_
            return [message if shown == id_ else to_message({**value, "id": shown})]
        if value.get("method") == CANCEL_REQUEST:
            return [self._cancellation(message, value, params)]
        if value.get("method") == _UPDATE:
            session_id = session_id_of(params)
            if session_id is not None and session_id == self._hidden:
                return []
            self._follow(session_id, _object(params.get("update")))
        return [message]

    def _cancellation(
        self, message: Message, value: dict[str, Any], params: dict[str, Any]
    ) -> Message:
        for shown, original in self._questions.items():
            if original == params.get(_REQUEST_ID) and shown != original:
                return to_message({**value, "params": {**params, _REQUEST_ID: shown}})
        return message

    def _learn(self, name: str, params: dict[str, Any], result: dict[str, Any]) -> None:
        """Update the conversation after a successful request from the client."""
        if name == INITIALIZE:
            self._agree(result)
        if self._protocol is None:
            return
        facts = self._protocol.facts
        method = self._protocol.surface.AGENT_METHODS.get(name)
        session_id = session_id_of(result) or session_id_of(params)
        if facts.sign_in is not None and name == facts.sign_in[0]:
            self.sign_in = name, params
        elif name in _SIGN_OUTS:
            self.sign_in = None
        elif method is None or session_id is None:
            return
        elif method.life == "ends":
            self._sessions.pop(session_id, None)
            self._active.discard(session_id)
        elif method.life is not None:
            self._sessions.pop(session_id, None)
            self._sessions[session_id] = params
            if len(self._sessions) > _MOST_SESSIONS:
                del self._sessions[next(iter(self._sessions))]
        elif name == PROMPT and not facts.response_ends_turn:
            self._active.add(session_id)

    def _agree(self, result: Mapping[str, Any]) -> None:
        self._version = as_version(result.get(VERSION)) or 0
        if self._version not in VERSIONS:
            return
        # The unstable surface also contains the stable methods.
        name = surfaces_of(self._version)[-1]
        state = import_module(f"acp_bindings.{name}.session").SessionState
        self._protocol = _Protocol(load(name), facts_of(name), state)
        self._advertised = result

    def _follow(self, session_id: str | None, update: dict[str, Any]) -> None:
        idle = None if self._protocol is None else self._protocol.facts.idle
        if idle is None or session_id is None:
            return
        [(tag, kind), *_] = idle.items()
        if update.get(tag) != kind:
            return
        if all(update.get(name) == value for name, value in idle.items()):
            self._active.discard(session_id)
        else:
            self._active.add(session_id)

    # --- the end of a connection -------------------------------------------------------------

    def interrupt(self, reason: str) -> list[Message]:
        """End the unfinished work of a lost connection. Return the messages for the client.

        Args:
            reason: why the connection was lost.
        """
        problem = f"lost the connection to the agent: {reason}"
        ended = [Message(error_response(id_, INTERNAL_ERROR, problem)) for id_ in self._pending]
        if self._protocol is not None:
            if CANCEL_REQUEST in self._protocol.surface.PROTOCOL_METHODS:
                ended += [
                    _notification(CANCEL_REQUEST, {_REQUEST_ID: shown})
                    for shown, original in self._questions.items()
                    if original is not _LOST
                ]
            idle = self._protocol.facts.idle
            if idle is not None:
                ended += [_update(session_id, idle) for session_id in self._active]
        self._pending.clear()
        self._questions = dict.fromkeys(self._questions, _LOST)
        self._active.clear()
        self._hidden = None
        return ended

    # --- the next connection -----------------------------------------------------------------

    def accept(self, result: dict[str, Any]) -> None:
        """Adopt the capabilities that the next agent advertises.

        Args:
            result: the agent's response to the client's `initialize` request.

        Raises:
            ValueError: If the agent chose a different protocol version than the previous agent.
        """
        version = as_version(result.get(VERSION)) or 0
        if version != self._version:
            raise ValueError(f"the agent changed from protocol {self._version} to {version}")
        self._advertised = result

    def restorations(self) -> Iterator[tuple[str, Restoration | None]]:
        """Yield the open sessions, each with the request that restores it.

        The request is None if the agent supports no method that restores sessions.
        """
        methods = {} if self._protocol is None else self._protocol.surface.AGENT_METHODS
        usable = [
            methods[name] for name in RETURNING if name in methods and self._allows(methods[name])
        ]
        # Repeat only fields that requests for new sessions also have. For example, omit the field
        # that selects the part of the history to replay.
        common = {
            field
            for method in methods.values()
            if method.life == "opens"
            for field in method.codec.fields_of(method.params)
        }
        for session_id, params in list(self._sessions.items()):
            if not usable:
                yield session_id, None
                continue
            method = usable[0]
            fields = common.intersection(method.codec.fields_of(method.params))
            repeated = {name: value for name, value in params.items() if name in fields}
            repeated["sessionId"] = session_id
            is_replayed = not RETURNING[method.name]
            yield session_id, Restoration(session_id, method, repeated, is_replayed)

    def _allows(self, method: Method[Any, Any]) -> bool:
        if method.capability is None:
            return True
        value, _ = locate(self._advertised, method.capability.pointer)
        return type(value) is dict or bool(value)

    def begin(self, restoration: Restoration) -> None:
        """Hide the session's history from the client until `finish` is called."""
        if restoration.is_replayed:
            self._hidden = restoration.session_id

    def forget(self, session_id: str) -> None:
        """Forget a session that the agent did not restore."""
        self._sessions.pop(session_id, None)

    def finish(self, restoration: Restoration, result: Any) -> list[Message]:
        """Stop hiding updates, and return updates that report the state in the result.

        The state includes, for example, the current mode.

        Args:
            restoration: the request.
            result: the agent's result, or None if the agent rejected the request.
        """
        self._hidden = None
        if result is None or self._protocol is None:
            return []
        method, codec = restoration.method, restoration.method.codec
        try:
            params = codec.decode(method.params, restoration.params)
            response = codec.decode(method.result, result)
        except DecodeError:
            return []
        implied = self._protocol.state().implied_updates(method.name, params, response)
        surface = self._protocol.surface
        type_ = surface.TYPES[self._protocol.facts.updates]
        encoded = [surface.encode(update, type_) for update in implied]
        return [_update(restoration.session_id, update) for update in encoded]


def _object(value: Any) -> dict[str, Any]:
    return value if type(value) is dict else {}


def _notification(method: str, params: dict[str, Any]) -> Message:
    return to_message({"jsonrpc": "2.0", "method": method, "params": params})


def _update(session_id: str, update: Mapping[str, Any]) -> Message:
    return _notification(_UPDATE, {"sessionId": session_id, "update": dict(update)})
