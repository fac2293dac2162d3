"""`V2ClientTranslator`: the translator for a v2 client with a v1 agent.

The main difference between the versions is how a turn ends. In version 2, the response to
`session/prompt` is sent when the prompt is accepted, and an `idle` update ends the turn. In version
1, the response to `session/prompt` ends the turn.

Rules:

1. A v1 agent handles one prompt at a time. While a session has a turn or is being resumed, further
   prompts are held back. While a session is being resumed, further requests to resume the session
   are also held back. Held requests are processed in order and can be cancelled (`_release`).
2. Each accepted prompt is followed by exactly one `idle` update, which is sent when the agent
   responds or fails, or when the session is closed (`_end_turn`).
3. All v2 agents can list, resume and close sessions. If a v1 agent does not support one of these
   actions, the bridge performs it, using the messages that it has seen (`_list`, `_way_back`,
   `_close`).
4. Requests that require a capability the agent did not advertise are rejected, as specified by
   version 2 (`_is_refused`).
5. At most `Limits.sessions` sessions can be open. See `session.session_registry` for sessions that
   messages refer to but that were not opened.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar, Final

from ...jsonrpc.errors import METHOD_NOT_FOUND, REQUEST_CANCELLED, RequestError
from ...jsonrpc.events import Notification, Request
from ...jsonrpc.messages import RequestId
from ...jsonrpc.method import INITIALIZE
from ...session.session_registry import SessionRegistry
from ...values.errors import Path, quotation
from ...values.unset import UNSET
from ..exchange import End, as_answer, cannot_say
from ..initialize import agent_to_newer, client_to_older
from ..rules import LOST, JsonValue, object_at, without
from ..stand_in import Closed, Opened
from ..translating import Translator
from .questions import Questions
from .session import Session, Turn
from .terminals import Terminals
from .updates import Updates

_CANCELLED: Final = "cancelled"
_LOAD: Final = "session/load"
_PROMPT: Final = "session/prompt"
_RESUME: Final = "session/resume"
_UPDATE: Final = "session/update"
# Fields of an `idle` update that are not defined in the v1 response to a prompt.
_OF_IDLE = ("sessionUpdate", "state", "background", "error")
_LATE = "the session is closed"
_REFUSED = "the prompt was already accepted; the error ends the turn instead"
_STAYS = "the agent cannot resume sessions; directories and MCP servers are unchanged"
_NO_MODES = "the agent offers no modes or already represents them as an option"
_FORGOTTEN = "the agent cannot replay the session, and the bridge did not see all of its history"


class V2ClientTranslator(Translator):
    """The translator for a protocol 2 client with a protocol 1 agent."""

    _requests: ClassVar[Mapping[tuple[str, str], str]] = {
        ("client", "session/new"): "_open",
        ("client", "session/resume"): "_resume",
        ("client", "session/list"): "_list",
        ("client", "session/close"): "_close",
        ("client", "session/delete"): "_delete",
        ("client", "session/prompt"): "_prompt",
        ("client", "session/set_config_option"): "_set_option",
        ("agent", "session/request_permission"): "_ask_permission",
        ("agent", "elicitation/create"): "_elicit",
    }
    _notifications: ClassVar[Mapping[tuple[str, str], str]] = {
        ("client", "session/cancel"): "_cancel_session",
        ("agent", "session/update"): "_update",
    }

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._older: Any = self._correspondence.older
        self._updates = Updates(self.exchange, self._older)
        self._registry: SessionRegistry[Session] = SessionRegistry(
            lambda session_id: Session(session_id, self._updates.new_state()), lambda: self.limits
        )
        # The agent's capabilities, in the form that version 1 defines.
        self._capabilities: JsonValue = {}
        self._shown: Any = None  # the `initialize` result that was sent to the client
        # Maps the id of each prompt request sent to the agent to the session in which the agent is
        # working on the prompt.
        self._prompted: dict[RequestId, Session] = {}
        self._questions = Questions(
            self.exchange, self._updates, self._prompted, self._tell_activity
        )
        self._terminals = (
            None
            if self.stand_in is None
            else Terminals(self.exchange, self.stand_in, self._find, self._tell)
        )

    def introduce(self, end: End, introduction: JsonValue) -> JsonValue:
        if end is self.client:
            standing_in: JsonValue = {} if self.stand_in is None else self.stand_in.capabilities
            return client_to_older(introduction, self._older, self.exchange, standing_in)
        self._capabilities = object_at(introduction, "agentCapabilities")
        newer = self._correspondence.newer
        shown = agent_to_newer(introduction, newer, self.exchange)
        self._shown = newer.decode(newer.METHODS["agent"][INITIALIZE].result, shown)
        return shown

    def _find(self, session_id: str) -> Session | None:
        """Return the session that a message from the agent refers to, or None if it is closed."""
        return self._registry.sessions.get(session_id) or self._registry.named(session_id)

    def _can(self, method: str) -> bool:
        """Return whether the agent advertises support for a session method."""
        if method == _LOAD:
            return bool(self._capabilities.get("loadSession"))
        name = method.removeprefix("session/")
        return object_at(self._capabilities, "sessionCapabilities").get(name) is not None

    def take_request(self, end: End, request: Request) -> None:
        terminals = self._terminals if end is self.agent else None
        if terminals is None or not terminals.take(request):
            super().take_request(end, request)

    # --- opening ---------------------------------------------------------------------------------

    def _open(self, request: Request) -> None:
        params = self._set_up(request, "NewSessionRequest")
        if params is None:
            return
        self._registry.begin()

        def then(result: JsonValue) -> None:
            session = self._registry.open(result["sessionId"])
            self._registry.end()
            session.settle_in(params)
            session.is_complete = True
            self._tell_opened(session.session_id, params)
            self._respond_opened(request, session, "session/new", result)

        def otherwise(error: BaseException) -> None:
            self._registry.end()
            self.exchange.fail(self.client, request, error)

        self.exchange.call(self.agent, "session/new", params, then, otherwise, request)

    def _tell_opened(self, session_id: str, params: JsonValue) -> None:
        """Notify the fallback handler, if any, that a session was opened."""
        if self.stand_in is not None:
            directories = tuple(params.get("additionalDirectories") or ())
            self.stand_in.tell(Opened(session_id, params["cwd"], directories))

    def _set_up(self, request: Request, rule: str) -> JsonValue | None:
        """Convert the params of a request that opens a session, or reject it and return None."""
        if self._is_refused(request):
            return None
        params = without(self._params(request), "replayFrom")
        wanted: list[JsonValue] = params.get("mcpServers") or []
        session_id, name = params.get("sessionId"), request.method.name
        converted = self.exchange.convert(self.client, rule, params, name, session_id)
        servers: list[JsonValue] = [] if converted is LOST else converted.get("mcpServers") or []
        if converted is LOST or len(servers) < len(wanted):
            reason = "the agent does not support the transport of an MCP server"
            self.exchange.refuse(self.client, request, reason)
            return None
        opened = len(self._registry.sessions) - len(self._registry.strays)
        if opened >= self.limits.sessions and session_id not in self._registry.sessions:
            error = RequestError.internal_error(message=f"too many open sessions: {opened}")
            self.exchange.fail(self.client, request, error)
            return None
        return {**converted, "mcpServers": servers}

    def _respond_opened(
        self, request: Request, session: Session, method: str, result: JsonValue
    ) -> None:
        """Send the agent's result for `method` in response to a request that opens a session."""
        if result.get("configOptions") is not None:
            self._updates.set_options(session, result["configOptions"], (), method)
        if result.get("modes") is not None:
            session.options.modes = dict(result["modes"])
            if session.options.mode_id is None:
                place: Path = ((), "modes")
                self.exchange.lose(self.agent, method, place, _NO_MODES, session.session_id)
        rest = self._updates.without_foreign(session, result, ("availableCommands",), method)
        rest = without(rest, "modes", "configOptions")
        self.exchange.respond(self.client, request, {**rest, **session.shown_options()})

    # --- resuming --------------------------------------------------------------------------------

    def _resume(self, request: Request) -> None:
        session = self._registry.sessions.get(request.params.session_id)
        if session is not None and session.replay is not None:
            session.held_back[request] = None  # simultaneous replays could not be distinguished
            return
        replay_from = self._params(request).get("replayFrom")
        if replay_from is not None and replay_from["type"] != "start":
            reason = cannot_say(f"replayFrom {replay_from['type']}")
            self.exchange.refuse(self.client, request, reason)
            return
        params = self._set_up(request, "ResumeSessionRequest")
        if params is None:
            return
        place: Path = ((), "replayFrom")
        self._lose_others(request, replay_from, place, "type")
        is_replayed = replay_from is not None
        method = self._way_back(session, is_replayed=is_replayed)
        if method is not None:
            self._return(request, params, method, is_replayed=is_replayed)
        elif session is None:
            self._fail_unknown(request, params["sessionId"])
        else:
            self.exchange.lose(self.client, _RESUME, (), _STAYS, session.session_id)
            self._retell(session, is_replayed=is_replayed)
            self._tell_activity(session)
            self.exchange.respond(self.client, request, session.shown_options())

    def _way_back(self, session: Session | None, *, is_replayed: bool) -> str | None:
        """Return the agent's method for resuming a session, or None if there is no such method.

        During a turn, `session/load` is not used, since its replay could not be distinguished from
        live updates.
        """
        methods = [_LOAD, _RESUME] if is_replayed else [_RESUME, _LOAD]
        if session is not None and session.turn is not None:
            methods.remove(_LOAD)
        return next((method for method in methods if self._can(method)), None)

    def _return(
        self, request: Request, params: JsonValue, method: str, *, is_replayed: bool
    ) -> None:
        """Resume a session by calling a method of the agent, with or without a replay."""
        is_known = params["sessionId"] in self._registry.sessions
        session = self._registry.open(params["sessionId"])
        before = session.state
        session.replay = "absent"
        if method == _LOAD:
            session.state = self._updates.new_state()
            session.replay = "shown" if is_replayed else "kept_back"
        self._tell_opened(session.session_id, params)

        def then(result: JsonValue) -> None:
            session.replay = None
            if session.is_closed:
                self._fail_unknown(request, session.session_id)
                return
            session.settle_in(params)
            if method == _LOAD:
                session.is_complete = True
                session.end_message()
            elif is_replayed:
                self._retell(session, is_replayed=True)
            self._tell_activity(session)
            self._respond_opened(request, session, method, result)
            self._release(session)

        def otherwise(error: BaseException) -> None:
            session.replay = None
            session.state = before if method == _LOAD else session.state
            self.exchange.fail(self.client, request, error)
            if not is_known and not session.is_closed:
                self._forget(session.session_id)
            self._release(session)

        self.exchange.call(self.agent, method, params, then, otherwise, request)

    def _retell(self, session: Session, *, is_replayed: bool) -> None:
        """Send the client a session's known history, or only its current state."""
        if is_replayed and not session.is_complete:
            place: Path = ((), "replayFrom")
            self.exchange.lose(self.client, _RESUME, place, _FORGOTTEN, session.session_id)
        for update in self._updates.retell(session, is_history_told=is_replayed):
            self._tell(session, update)

    # --- listing, closing ------------------------------------------------------------------------

    def _list(self, request: Request) -> None:
        if self._can("session/list"):
            rules = ("ListSessionsRequest", "ListSessionsResponse")
            self.exchange.carry(self.client, request, "session/list", rules)
            return
        params = self._params(request)
        if params.get("cursor") is not None:
            self.exchange.refuse(
                self.client, request, "unknown cursor: no session/list response contained it"
            )
            return
        self._lose_others(request, params, (), "cwd")
        infos = [session.as_info() for session in self._registry.sessions.values()]
        cwd = params.get("cwd")
        listed = [info for info in infos if info is not None and cwd in (None, info["cwd"])]
        self.exchange.respond(self.client, request, {"sessions": listed})

    def _close(self, request: Request) -> None:
        session_id = request.params.session_id
        if self._can("session/close"):
            self._call_last(request, ("CloseSessionRequest", "CloseSessionResponse"))
        elif (session := self._registry.sessions.get(session_id)) is None:
            self._fail_unknown(request, session_id)
        else:
            self._lose_others(request, self._params(request), (), "sessionId")
            if session.turn is not None:
                self.exchange.notify(self.agent, "session/cancel", {"sessionId": session_id})
            self._forget(session_id)
            self.exchange.respond(self.client, request, {})

    def _delete(self, request: Request) -> None:
        self._call_last(request, ("DeleteSessionRequest", "DeleteSessionResponse"))

    def _call_last(self, request: Request, rules: tuple[str, str]) -> None:
        """Forward a request about a session. If the request succeeds, close the session."""
        forget = partial(self._forget, request.params.session_id)
        self.exchange.carry(self.client, request, request.method.name, rules, forget)

    def _forget(self, session_id: str) -> None:
        """Close a session so that later messages don't reopen it."""
        session = self._registry.sessions.pop(session_id, None)
        self._registry.strays.pop(session_id, None)
        self._registry.remember_closed(session_id)
        if self.stand_in is not None:
            self.stand_in.tell(Closed(session_id))
        if session is not None:
            session.is_closed = True
            held_back, session.held_back = session.held_back, {}
            for request in held_back:
                self._fail_unknown(request, session_id)
            if session.turn is not None:
                self._end_turn(session, session.turn, {"stopReason": _CANCELLED})

    # --- prompts ---------------------------------------------------------------------------------

    def _prompt(self, request: Request) -> None:
        session = self._registry.sessions.get(request.params.session_id)
        if session is None:
            self._fail_unknown(request, request.params.session_id)
        elif self._is_refused(request):
            return
        elif session.is_busy:
            session.held_back[request] = None
        else:
            self._begin(request, session)

    def _begin(self, request: Request, session: Session) -> None:
        """Send a prompt to the agent and report to the client that the prompt was accepted."""
        params = self._params(request)
        prompt = params["prompt"]
        session_id, rule = session.session_id, "PromptRequest"
        params = self.exchange.convert(self.client, rule, params, _PROMPT, session_id)
        if params is LOST or len(params["prompt"]) < len(prompt):
            self.exchange.refuse(self.client, request)
            return
        turn = session.turn = Turn(params["prompt"])

        def then(result: JsonValue) -> None:
            ending = self._updates.without_foreign(session, result, _OF_IDLE, _PROMPT)
            self._end_turn(session, turn, ending)

        def otherwise(error: BaseException) -> None:
            if turn.is_accepted:
                self._fail_turn(session, turn, error)
            else:
                session.turn = None
                self.exchange.fail(self.client, request, error)

        # The call is independent of the request, since the request is complete once the prompt is
        # accepted. After that, only `session/cancel` can cancel the prompt.
        turn.call_id = self.exchange.call(self.agent, _PROMPT, params, then, otherwise)
        if turn.call_id is None:
            return
        turn.is_accepted = True
        self._prompted[turn.call_id] = session
        message_id = session.new_id("user")
        self._updates.insert(session, message_id, params["prompt"])
        self.exchange.respond(self.client, request, {"messageId": message_id})
        inserted = {"sessionUpdate": "user_message", "messageId": message_id, "content": prompt}
        self._tell(session, inserted)
        self._tell_activity(session)

    def _fail_turn(self, session: Session, turn: Turn, error: BaseException) -> None:
        """End a turn after an error from the agent."""
        answer = as_answer(error)
        assert isinstance(answer, RequestError), "as_answer returns a RequestError"
        if turn.is_cancelled and answer.code == REQUEST_CANCELLED:
            # The agent should have responded with a stop reason, but many libraries raise an error
            # when their work is aborted.
            self._end_turn(session, turn, {"stopReason": _CANCELLED})
            return
        if not turn.has_begun:
            self.exchange.lose(self.agent, _PROMPT, (), _REFUSED, session.session_id)
        failure = {"code": answer.code, "message": answer.message}
        if answer.data is not UNSET:
            failure["data"] = answer.data
        self._end_turn(session, turn, {"stopReason": "error", "error": failure})

    def _end_turn(self, session: Session, turn: Turn, ending: JsonValue) -> None:
        """Report the end of a turn, once, in an `idle` update with the given fields."""
        self._prompted.pop(turn.call_id, None)
        if session.turn is turn:
            session.turn = None
            session.end_message()
            self._tell(session, {"sessionUpdate": "state_update", "state": "idle", **ending})
            self._release(session)

    def _release(self, session: Session) -> None:
        """Process held requests until the session becomes busy."""
        while session.held_back and not session.is_busy:
            request = next(iter(session.held_back))
            del session.held_back[request]
            self.take_request(self.client, request)

    def _tell_activity(self, session: Session) -> None:
        self._tell(session, {"sessionUpdate": "state_update", "state": session.activity})

    # --- cancelling ------------------------------------------------------------------------------

    def _cancel_session(self, notification: Notification) -> None:
        """Cancel the turn and the prompts that are waiting for its end."""
        rule = "CancelSessionNotification"
        self.exchange.carry_notification(self.client, notification, "session/cancel", rule)
        session = self._registry.sessions.get(notification.params.session_id)
        if session is None:
            return
        if session.turn is not None:
            session.turn.is_cancelled = True
        for request in [held for held in session.held_back if held.method.name == _PROMPT]:
            self.cancel(self.client, request)

    def cancel(self, end: End, request: Request) -> None:
        if self._terminals is not None and self._terminals.cancel(request):
            return  # the handler's response shows whether the request was cancelled in time
        session = self._registry.sessions.get(getattr(request.params, "session_id", ""))
        if session is not None:
            session.held_back.pop(request, None)
        super().cancel(end, request)

    def end(self, end: End) -> None:
        # Pending calls to the side that closed have already failed.
        if self.stand_in is not None:
            self.stand_in.close()
        sessions = list(self._registry.sessions.values())
        for session in sessions if end is self.client else ():
            for request in list(session.held_back):
                self.cancel(self.client, request)
            if session.turn is not None and not session.turn.is_cancelled:
                session.turn.is_cancelled = True
                params = {"sessionId": session.session_id}
                self.exchange.notify(self.agent, "session/cancel", params)
        for request in end.connection.requests:  # the side that closed cannot receive responses
            self.exchange.cancel(request)

    # --- options ---------------------------------------------------------------------------------

    def _set_option(self, request: Request) -> None:
        params = self._params(request)
        kind = params["type"]
        session = self._registry.sessions.get(params["sessionId"])
        if session is None:
            self._fail_unknown(request, params["sessionId"])
        elif session.options.mode_id == params["configId"] and kind == "id":
            self._set_mode(request, session, params)
        elif session.options.mode_id == params["configId"] or kind not in ("id", "boolean"):
            self.exchange.refuse(self.client, request, cannot_say(f"option of type {kind!r}"))
        else:
            self._set_own_option(request, session, params)

    def _set_mode(self, request: Request, session: Session, params: JsonValue) -> None:
        """Set the bridge's option for modes."""

        def then(result: JsonValue) -> None:
            session.options.choose_mode(params["value"])
            self.exchange.respond(self.client, request, {**result, **session.shown_options()})

        chosen = {**without(params, "configId", "type", "value"), "modeId": params["value"]}
        otherwise = self.exchange.passing_error(self.client, request)
        self.exchange.call(self.agent, "session/set_mode", chosen, then, otherwise, request)

    def _set_own_option(self, request: Request, session: Session, params: JsonValue) -> None:
        """Set one of the agent's own options."""
        name = request.method.name

        def then(result: JsonValue) -> None:
            self._updates.set_options(session, result["configOptions"], (), name)
            self.exchange.respond(self.client, request, {**result, **session.shown_options()})

        # In version 1, an option's value has no `type` if the value is an id.
        chosen = without(params, "type") if params["type"] == "id" else params
        fail = self.exchange.passing_error(self.client, request)

        def otherwise(error: BaseException) -> None:
            # An agent with modes but no options might not implement the method for setting options.
            # The client cannot detect this, since the bridge presents the modes as an option.
            if isinstance(error, RequestError) and error.code == METHOD_NOT_FOUND:
                option = quotation(params["configId"])
                error = RequestError.invalid_params(message=f"the agent has no option {option}")
            fail(error)

        self.exchange.call(self.agent, name, chosen, then, otherwise, request)

    # --- messages of the agent -------------------------------------------------------------------

    def _update(self, notification: Notification) -> None:
        params = self.agent.encode(notification.params, notification.method.params)
        session = self._find(params["sessionId"])
        if session is None:
            self.exchange.lose(self.agent, _UPDATE, (), _LATE, params["sessionId"])
            return
        turn, data = session.turn, params["update"]
        if turn is not None and turn.echo and data["sessionUpdate"] == "user_message_chunk":
            message_id = data.get("messageId")
            if turn.echo.takes(data["content"], message_id, notification):
                return  # the client received the prompt when it was accepted
            if earlier := turn.echo.departs(message_id):
                turn.echo = None
                for each in earlier:
                    self._update(each)
        self._updates.name(session, notification.params.update, data)
        if session.replay == "shown" and (emptied := self._updates.empty(session, data)):
            self._tell(session, emptied)
        update = self._updates.take(session, notification.params.update, data)
        if update is not None:
            self.exchange.notify(self.client, _UPDATE, {**params, "update": update})
        elif session.replay is None:
            known, session_id = ("sessionId", "update"), session.session_id
            self.exchange.lose_others(self.agent, _UPDATE, params, (), known, session_id)

    def _ask_permission(self, request: Request) -> None:
        self._questions.ask_permission(request, self._find(request.params.session_id))

    def _elicit(self, request: Request) -> None:
        session_id = getattr(request.params, "session_id", None)
        session = self._find(session_id) if isinstance(session_id, str) else None
        self._questions.elicit(request, session)

    # --- helpers ---------------------------------------------------------------------------------

    def _fail_unknown(self, request: Request, session_id: str) -> None:
        """Respond with an error to a request for a session that is not open."""
        error = RequestError.resource_not_found({"sessionId": session_id}, "session not found")
        self.exchange.fail(self.client, request, error)

    def _params(self, request: Request) -> JsonValue:
        """Return the params of a client request as JSON."""
        return self.client.encode(request.params, request.method.params)

    def _is_refused(self, request: Request) -> bool:
        """Reject a request that requires a missing capability. Return whether it was rejected."""
        for need in request.method.needs:
            if need.refuses(request.params, self._shown) is not None:
                reason = f"the agent did not advertise {need.capability.pointer}"
                self.exchange.refuse(self.client, request, reason)
                return True
        return False

    def _lose_others(self, request: Request, value: JsonValue, path: Path, *known: str) -> None:
        """Report the fields in a request, or in part of a request, that the agent won't receive."""
        session_id = getattr(request.params, "session_id", None)
        name = request.method.name
        self.exchange.lose_others(self.client, name, value, path, known, session_id)

    def _tell(self, session: Session, update: JsonValue) -> None:
        """Send the client an update."""
        params = {"sessionId": session.session_id, "update": update}
        self.exchange.notify(self.client, _UPDATE, params)
