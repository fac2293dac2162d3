"""`OlderClient`: a client of the older version, with an agent of the newer one.

The difference that matters is the turn. The older `session/prompt` is answered when the turn ends;
the newer one as the prompt is accepted, and the turn ends with an update, `idle`. Which update that
is, `session.turn_phases` tells from the order of what arrives.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar

from ..jsonrpc.errors import RequestError
from ..jsonrpc.events import Notification, Request
from ..jsonrpc.messages import RequestId
from ..session.turn_phases import Habits
from ..values.errors import Path
from .exchange import End, Otherwise, Then, cannot_say
from .older_introductions import agent_to_older, client_to_newer
from .older_questions import Questions
from .older_session import Session
from .older_turns import Turns
from .older_view import GROWING, OlderView
from .rules import LOST, JsonValue, object_at, without
from .translating import Translator


class OlderClient(Translator):
    """Shows an agent of the newer version to a client of the older one."""

    _requests: ClassVar[Mapping[tuple[str, str], str]] = {
        ("client", "session/new"): "_open",
        ("client", "session/load"): "_load",
        ("client", "session/resume"): "_resume",
        ("client", "session/list"): "_list",
        ("client", "session/close"): "_close",
        ("client", "session/prompt"): "_prompt",
        ("client", "session/set_mode"): "_set_mode",
        ("client", "session/set_config_option"): "_set_option",
        ("agent", "session/request_permission"): "_ask_permission",
        ("agent", "elicitation/create"): "_elicit",
    }
    _notifications: ClassVar[Mapping[tuple[str, str], str]] = {
        ("client", "session/cancel"): "_cancel_session",
        ("agent", "session/update"): "_update",
    }

    def __init__(self, *args: Any) -> None:
        """See `Translator`."""
        super().__init__(*args)
        self._sessions: dict[str, Session] = {}
        self._closed: dict[str, None] = {}
        self._wanted: dict[str, JsonValue] = {}
        self._questions = Questions(self.exchange)
        self._turns = Turns(self.exchange)
        self._habits = Habits()
        # The terminals of the client that the agent has asked for, by session.
        self._terminals: dict[str, set[str]] = {}
        self._growing: dict[str, Session] = {}  # those with output that may be kept back

    # --- initialize ------------------------------------------------------------------------------

    def introduce(self, end: End, introduction: JsonValue) -> JsonValue:
        """See `Translator`."""
        convert = partial(self._convert, end, None)
        lose = partial(self.exchange.lose, end)
        if end is self.client:
            capabilities = object_at(introduction, "clientCapabilities")
            self._wanted = object_at(capabilities, "session")
            return client_to_newer(introduction, self._correspondence.newer, convert, lose)
        lose_others = partial(self.exchange.lose_others, end)
        return agent_to_older(introduction, self._correspondence.older, convert, lose_others)

    def _wants(self, capability: str) -> bool:
        """Whether the client has advertised something about sessions, by the names on the way."""
        value: JsonValue = self._wanted
        for name in capability.split("/"):
            value = value.get(name) if value.__class__ is dict else None
        return value.__class__ is dict

    def _convert(
        self,
        end: End,
        session_id: str | None,
        rule: str,
        value: JsonValue,
        method: str,
        path: Path = (),
    ) -> JsonValue:
        return self.exchange.convert(end, rule, value, method, session_id, path)

    # --- sessions --------------------------------------------------------------------------------

    def _session(self, session_id: str) -> Session | None:
        """The session of an id, also one that the client has not opened; None if it is closed."""
        session = self._sessions.get(session_id)
        if session is None and session_id not in self._closed:
            session = self._sessions[session_id] = self._new_session(session_id)
            if len(self._sessions) > self.limits.sessions:
                self._forget_one()
        return session

    def _new_session(self, session_id: str) -> Session:
        view = OlderView(
            session_id,
            self._correspondence.newer,
            partial(self._convert, self.agent, session_id),
            lambda method, path, reason: self.exchange.lose(
                self.agent, method, path, reason, session_id
            ),
            partial(self.exchange.notify, self.client, "session/update"),
            self._wants,
            self._terminals.setdefault(session_id, set()),
        )
        return Session(session_id, view, self._habits)

    def call(
        self, end: End, name: str, params: JsonValue, then: Then, otherwise: Otherwise
    ) -> RequestId | None:
        """See `Translator`. The client shows its own terminals itself."""

        def take(result: JsonValue) -> None:
            if name == "terminal/create":
                session = self._session(params["sessionId"])
                if session is not None:
                    self._terminals[session.session_id].add(result["terminalId"])
            then(result)

        return super().call(end, name, params, take, otherwise)

    def _forget_one(self) -> None:
        """Forget a session for which nothing is open: the oldest."""
        for session_id, session in self._sessions.items():
            if not session.prompts:
                del self._sessions[session_id]
                self._terminals.pop(session_id, None)
                return

    def _params(self, request: Request) -> JsonValue:
        """The params of a request of the client, as the newer version has them."""
        method = request.method
        params = self.client.encode(request.params, method.params)
        session_id = params.get("sessionId")
        rule, _ = self.route(self.client, method.name).params
        return self.exchange.convert(self.client, rule, params, method.name, session_id)

    def _call(
        self, request: Request, name: str, params: JsonValue, then: Callable[[JsonValue], None]
    ) -> None:
        """Call the agent for a request of the client, which fails if the call does."""
        if params is LOST:
            error = RequestError.invalid_params(message=cannot_say(request.method.name))
            self.exchange.fail(self.client, request, error)
            return
        refuse = self.exchange.refuse(self.client, request)
        self.exchange.call(self.agent, name, params, then, refuse, request)

    def _open(self, request: Request) -> None:
        def then(result: JsonValue) -> None:
            self._closed.pop(result["sessionId"], None)
            session = self._session(result["sessionId"])
            assert session is not None, "it is not closed"
            commands = result.pop("availableCommands", None)
            seen = self._seen(session, result, "session/new")
            self._respond(request, session, {**result, **seen})
            if commands is not None:
                session.view.show_commands(commands, "session/new")

        self._call(request, "session/new", self._params(request), then)

    def _seen(self, session: Session, result: JsonValue, method: str) -> JsonValue:
        """Return the options and modes of a response as the client is shown them.

        Args:
            session: the session.
            result: the response.
            method: the method of the agent.
        """
        place = ((), "configOptions")
        if result.get("configOptions") is None:
            return {}
        options = session.view.set_options(result["configOptions"], method, place)
        modes = session.view.modes()
        return {"configOptions": options} | ({} if modes is None else {"modes": modes})

    def _respond(self, request: Request, session: Session, result: JsonValue) -> None:
        session.view.calls.flush(everything=True)
        self.exchange.respond(self.client, request, result)

    def _load(self, request: Request) -> None:
        params = self._params(request)
        session_id = request.params.session_id
        known = self._sessions.get(session_id)
        if known is not None and known.prompts:
            # What is live could not be told from the replay.
            self._replay(known)
            self._return(request, params, known)
            return
        self._closed.pop(session_id, None)
        session = self._sessions[session_id] = self._new_session(session_id)
        session.is_replayed = True
        self._return(request, {**params, "replayFrom": {"type": "start"}}, session, known)

    def _replay(self, session: Session) -> None:
        """Tell the client all of a session again, as the bridge knows it."""
        state, newer = session.view.state, self._correspondence.newer
        again = self._new_session(session.session_id).view
        union = newer.TYPES["SessionUpdate"]
        for update in state.to_updates():
            data = newer.encode(update, union)
            again.take(update, {"sessionId": session.session_id, "update": data})
        again.calls.flush(everything=True)
        again.options = session.view.options
        session.view = again

    def _resume(self, request: Request) -> None:
        session = self._sessions.get(request.params.session_id)
        if session is None:
            self._closed.pop(request.params.session_id, None)
            session = self._session(request.params.session_id)
            assert session is not None, "it is not closed"
        self._return(request, self._params(request), session)

    def _return(
        self,
        request: Request,
        params: JsonValue,
        session: Session,
        before: Session | None = None,
    ) -> None:
        """Bring a session back.

        Args:
            request: the client's request.
            params: what the agent is called with.
            session: the session.
            before: what it was before, if the agent replays it: it is that again if this fails.
        """

        def then(result: JsonValue) -> None:
            session.is_replayed = False
            commands = result.pop("availableCommands", None)
            if commands is not None:
                session.view.show_commands(commands, "session/resume")
            seen = self._seen(session, result, "session/resume")
            self._respond(request, session, {**result, **seen})

        def otherwise(error: BaseException) -> None:
            if session.is_replayed:
                session.is_replayed = False
                del self._sessions[session.session_id]
                if before is not None:
                    self._sessions[session.session_id] = before
            self.exchange.fail(self.client, request, error)

        if params is LOST:
            otherwise(RequestError.invalid_params(message=cannot_say(request.method.name)))
        else:
            self.exchange.call(self.agent, "session/resume", params, then, otherwise, request)

    def _list(self, request: Request) -> None:
        rules = ("ListSessionsRequest", "ListSessionsResponse")
        self.exchange.carry(self.client, request, request.method.name, rules)

    def _close(self, request: Request) -> None:
        session_id = request.params.session_id

        def then(result: JsonValue) -> None:
            session = self._sessions.pop(session_id, None)
            self._terminals.pop(session_id, None)
            if session is not None:
                session.foreground.close()
                session.view.tell_unseen()
                self._turns.end(session)
            self._closed[session_id] = None
            if len(self._closed) > self.limits.closed_sessions:
                del self._closed[next(iter(self._closed))]
            self.exchange.respond(self.client, request, result)

        self._call(request, "session/close", self._params(request), then)

    # --- modes and options -----------------------------------------------------------------------

    def _set_mode(self, request: Request) -> None:
        session = self._session(request.params.session_id)
        option = None if session is None else session.view.mode_option()
        if session is None or option is None:
            gone = RequestError.resource_not_found(message="the session is closed")
            no_modes = RequestError.invalid_params(message="the session has no modes")
            self.exchange.fail(self.client, request, gone if session is None else no_modes)
            return
        params = self.client.encode(request.params, request.method.params)
        mode = params.pop("modeId")
        chosen = {"configId": option["configId"], "type": "id", "value": mode}

        def then(result: JsonValue) -> None:
            session.view.expect_mode(mode)
            options = self._options(session, result)
            self._respond(request, session, without(result, "configOptions"))
            # The older response has no options, and other ones may have changed with the mode.
            session.view.show_again(
                {"sessionUpdate": "config_option_update", "configOptions": options}
            )
            session.view.show_mode()

        self._call(request, "session/set_config_option", {**params, **chosen}, then)

    def _set_option(self, request: Request) -> None:
        session = self._session(request.params.session_id)
        params = self.client.encode(request.params, request.method.params)
        params.setdefault("type", "id")

        def then(result: JsonValue) -> None:
            if session is None:
                reason = "the session is closed"
                self.exchange.lose(self.agent, request.method.name, (), reason)
                self.exchange.respond(self.client, request, {"configOptions": []})
                return
            options = self._options(session, result)
            self._respond(request, session, {**result, "configOptions": options})
            session.view.show_mode()

        self._call(request, "session/set_config_option", params, then)

    def _options(self, session: Session, result: JsonValue) -> JsonValue:
        method, place = "session/set_config_option", ((), "configOptions")
        return session.view.set_options(result["configOptions"], method, place)

    # --- turns -----------------------------------------------------------------------------------

    def _prompt(self, request: Request) -> None:
        session = self._session(request.params.session_id)
        params = self._params(request)
        if session is None or params is LOST:
            gone = RequestError.resource_not_found(message="the session is closed")
            refused = RequestError.invalid_params(message=cannot_say(request.method.name))
            error = gone if session is None else refused
            self.exchange.fail(self.client, request, error)
            return
        self._turns.begin(request, session, params)

    def _cancel_session(self, notification: Notification) -> None:
        params = self.client.encode(notification.params, notification.method.params)
        session = self._sessions.get(params["sessionId"])
        self.exchange.notify(self.agent, "session/cancel", params)
        if session is not None:
            self._turns.cancel(session)

    def cancel(self, end: End, request: Request) -> None:
        """See `Translator`. A prompt that was accepted is cancelled with its session."""
        for session in self._sessions.values():
            if self._turns.cancel_one(session, request):
                return
        super().cancel(end, request)

    # --- updates ---------------------------------------------------------------------------------

    def _update(self, notification: Notification) -> None:
        params = self.agent.encode(notification.params, notification.method.params)
        session = self._session(params["sessionId"])
        update, data = notification.params.update, params["update"]
        if session is None:
            reason = "the session is closed"
            self.exchange.lose(self.agent, "session/update", (), reason, params["sessionId"])
            return
        tag = data["sessionUpdate"]
        if session.is_echo(params):
            session.view.hide(update, params)
        else:
            for earlier in session.take_departed(params):
                session.view.show_hidden(earlier)
            session.view.take(update, params)
        if tag in GROWING:
            self._growing[session.session_id] = session
            return
        foreground = session.foreground
        if tag in ("agent_message_chunk", "agent_thought_chunk"):
            foreground.work("output")
        elif tag in ("user_message", "user_message_chunk"):
            foreground.insert(data["messageId"])
        elif tag == "state_update":
            self._turns.take_state(session, data)
        else:
            return
        self._turns.end(session)

    def flush(self) -> None:
        """See `Translator`."""
        for session_id, session in list(self._growing.items()):
            is_gone = self._sessions.get(session_id) is not session  # closed, or loaded again
            if is_gone or session.view.calls.flush(everything=False):
                del self._growing[session_id]

    # --- questions -------------------------------------------------------------------------------

    def _ask_permission(self, request: Request) -> None:
        session = self._session(request.params.session_id)
        if session is None:
            gone = RequestError.resource_not_found(message="the session is closed")
            self.exchange.fail(self.agent, request, gone)
            return
        session.view.calls.flush(everything=True)
        self._questions.ask_permission(request, session.view)

    def _elicit(self, request: Request) -> None:
        self._questions.elicit(request)

    # --- ends ------------------------------------------------------------------------------------

    def end(self, end: End) -> None:
        """See `Translator`."""
        if end is self.client:
            for session in self._sessions.values():
                if session.prompts:
                    self._turns.stop(session)
        else:
            for session in self._sessions.values():
                session.view.calls.flush(everything=True)
                session.view.tell_unseen()
                self._turns.fail(session)
