"""`V1ClientTranslator`: the translator for a v1 client with a v2 agent.

The main difference between the versions is how a turn ends. In version 1, the response to
`session/prompt` ends the turn. In version 2, that response is sent when the prompt is accepted, and
an `idle` update ends the turn.

Rules:

1. The table in `session.turn_phases` determines when a turn ends. The prompt then gets its only
   response (`_end_turns`).
2. Before that response, all held content is shown and the tool calls of pending permission requests
   are restored, since the client ignores later updates.
3. An idle report that does not end any of the client's turns is treated as a loss
   (`_lose_reports`). At most `_REPORTS` idle reports are kept while they can still end the turn of
   a pending prompt.
4. If there are too many sessions, the oldest session without a pending prompt is forgotten
   (`_session`). At most `Limits.closed_sessions` closed sessions are remembered, and messages about
   them are dropped.
5. Growing content is held back until enough of it has accumulated (`flush`, see `tool_calls`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar

from ...jsonrpc.errors import INTERNAL_ERROR, REQUEST_CANCELLED, RequestError
from ...jsonrpc.events import Notification, Request
from ...jsonrpc.messages import RequestId
from ...session.turn_phases import Habits
from ...values.errors import Path
from ..exchange import End, Otherwise, Then, cannot_say
from ..initialize import agent_to_older, client_to_newer
from ..rules import LOST, JsonValue, filled, object_at, without
from ..translating import Translator
from .questions import Questions
from .session import Session
from .updates import GROWING, UPDATE, V1View

_CANCELLED = {"stopReason": "cancelled"}
_PROMPT = "session/prompt"
_UPDATE = "session/update"
_SET_OPTION = "session/set_config_option"
# The fields of an idle report that don't concern the turn.
_OF_STATE = ("sessionUpdate", "state", "background")
_CLOSED = "the session is closed"
_NO_TURN = "the agent ended a turn that was not started by a prompt from the client"
_SHORTER = "the agent repeated only the beginning of the prompt, but the client shows all of it"
_REPORTS = 100


class V1ClientTranslator(Translator):
    """The translator for a protocol 1 client with a protocol 2 agent."""

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
        super().__init__(*args)
        self._sessions: dict[str, Session] = {}
        self._closed: dict[str, None] = {}
        self._wanted: dict[str, JsonValue] = {}  # the client's session capabilities
        self._questions = Questions(self.exchange)
        self._habits = Habits()
        # The ids, by session, of terminals that the agent created and the client runs.
        self._terminals: dict[str, set[str]] = {}
        self._growing: dict[str, Session] = {}  # the sessions with content to flush

    # --- initialize ------------------------------------------------------------------------------

    def introduce(self, end: End, introduction: JsonValue) -> JsonValue:
        if end is self.agent:
            return agent_to_older(introduction, self._correspondence.older, self.exchange)
        capabilities = object_at(introduction, "clientCapabilities")
        self._wanted = object_at(capabilities, "session")
        return client_to_newer(introduction, self._correspondence.newer, self.exchange)

    def _wants(self, capability: str) -> bool:
        """Return whether the client advertised a session capability, such as "notices"."""
        value: JsonValue = self._wanted
        for name in capability.split("/"):
            value = value.get(name) if value.__class__ is dict else None
        return value.__class__ is dict

    # --- sessions --------------------------------------------------------------------------------

    def _session(self, session_id: str) -> Session | None:
        """Return the session with this id, or None if it is closed. Create unknown sessions."""
        session = self._sessions.get(session_id)
        if session is None and session_id not in self._closed:
            session = self._sessions[session_id] = self._new_session(session_id)
            if len(self._sessions) > self.limits.sessions:
                idle = (known for known, each in self._sessions.items() if not each.prompts)
                forgotten = next(idle)  # cannot fail: the new session has no prompt
                del self._sessions[forgotten]
                self._terminals.pop(forgotten, None)
        return session

    def _new_session(self, session_id: str) -> Session:
        view = V1View(
            session_id,
            self._correspondence.newer,
            self.exchange,
            self._wants,
            self._terminals.setdefault(session_id, set()),
        )
        return Session(session_id, view, self._habits)

    def call(
        self, end: End, name: str, params: JsonValue, then: Then, otherwise: Otherwise
    ) -> RequestId | None:
        def take(result: JsonValue) -> None:
            if name == "terminal/create":
                session = self._session(params["sessionId"])
                if session is not None:
                    self._terminals[session.session_id].add(result["terminalId"])
            then(result)

        return super().call(end, name, params, take, otherwise)

    def _params(self, request: Request) -> JsonValue:
        """Return the params of a client request, converted to version 2, or `LOST`."""
        method = request.method
        params = self.client.encode(request.params, method.params)
        session_id = params.get("sessionId")
        rule, _ = self._routes[self.client.name, method.name].params
        return self.exchange.convert(self.client, rule, params, method.name, session_id)

    def _call(
        self, request: Request, name: str, params: JsonValue, then: Callable[[JsonValue], None]
    ) -> None:
        """Call the agent on behalf of a client. If the call fails, respond with the error."""
        if params is LOST:
            self.exchange.refuse(self.client, request)
            return
        otherwise = self.exchange.passing_error(self.client, request)
        self.exchange.call(self.agent, name, params, then, otherwise, request)

    def _fail_closed(self, end: End, request: Request) -> None:
        """Respond with an error to a request for a closed session."""
        error = RequestError.resource_not_found(message=_CLOSED)
        self.exchange.fail(end, request, error)

    def _open(self, request: Request) -> None:
        def then(result: JsonValue) -> None:
            self._closed.pop(result["sessionId"], None)
            session = self._session(result["sessionId"])
            assert session is not None, "the session is not closed"
            commands = result.pop("availableCommands", None)
            seen = self._seen(session, result, "session/new")
            self._respond(request, session, {**result, **seen})
            if commands is not None:
                session.view.show_commands(commands, "session/new")

        self._call(request, "session/new", self._params(request), then)

    def _seen(self, session: Session, result: JsonValue, method: str) -> JsonValue:
        """Convert the options and modes in an agent's response for the client."""
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
            # During a turn, a replay by the agent could not be distinguished from live updates.
            # Therefore, the bridge replays the session itself.
            self._replay(known)
            self._return(request, params, known)
            return
        self._closed.pop(session_id, None)
        session = self._sessions[session_id] = self._new_session(session_id)
        session.is_replayed = True
        self._return(request, {**params, "replayFrom": {"type": "start"}}, session, known)

    def _replay(self, session: Session) -> None:
        """Send the client the part of the session history that the bridge knows."""
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
            assert session is not None, "the session is not closed"
        self._return(request, self._params(request), session)

    def _return(
        self,
        request: Request,
        params: JsonValue,
        session: Session,
        before: Session | None = None,
    ) -> None:
        """Resume a session. If a requested replay fails, restore `before`, the earlier session."""

        def then(result: JsonValue) -> None:
            session.is_replayed = False
            commands = result.pop("availableCommands", None)
            if commands is not None:
                session.view.show_commands(commands, "session/resume")
            seen = self._seen(session, result, "session/resume")
            self._respond(request, session, {**result, **seen})

        def otherwise(error: BaseException) -> None:
            if session.is_replayed:
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
                self._end_turns(session)
            self._closed[session_id] = None
            if len(self._closed) > self.limits.closed_sessions:
                del self._closed[next(iter(self._closed))]
            self.exchange.respond(self.client, request, result)

        self._call(request, "session/close", self._params(request), then)

    # --- modes and options -----------------------------------------------------------------------

    def _set_mode(self, request: Request) -> None:
        session = self._session(request.params.session_id)
        if session is None:
            self._fail_closed(self.client, request)
            return
        option = session.view.mode_option()
        if option is None:
            self.exchange.refuse(self.client, request, "the session has no modes")
            return
        params = self.client.encode(request.params, request.method.params)
        mode = params.pop("modeId")
        chosen = {"configId": option["configId"], "type": "id", "value": mode}

        def then(result: JsonValue) -> None:
            session.view.mode = mode  # the client already knows the new mode
            options = self._options(session, result)
            self._respond(request, session, without(result, "configOptions"))
            # The v1 response cannot contain options, but the agent might have changed some of them.
            session.view.show_again(
                {"sessionUpdate": "config_option_update", "configOptions": options}
            )
            session.view.show_mode()

        self._call(request, _SET_OPTION, {**params, **chosen}, then)

    def _set_option(self, request: Request) -> None:
        session = self._session(request.params.session_id)
        params = self.client.encode(request.params, request.method.params)
        params.setdefault("type", "id")

        def then(result: JsonValue) -> None:
            if session is None:
                self.exchange.lose(self.agent, request.method.name, (), _CLOSED)
                self.exchange.respond(self.client, request, {"configOptions": []})
                return
            options = self._options(session, result)
            self._respond(request, session, {**result, "configOptions": options})
            session.view.show_mode()

        self._call(request, _SET_OPTION, params, then)

    def _options(self, session: Session, result: JsonValue) -> JsonValue:
        place = ((), "configOptions")
        return session.view.set_options(result["configOptions"], _SET_OPTION, place)

    # --- turns -----------------------------------------------------------------------------------

    def _prompt(self, request: Request) -> None:
        session = self._session(request.params.session_id)
        params = self._params(request)
        if session is None:
            self._fail_closed(self.client, request)
            return
        if params is LOST:
            self.exchange.refuse(self.client, request)
            return
        prompt = session.begin(request, params["prompt"])

        def then(result: JsonValue) -> None:
            session_id, known = session.session_id, ("messageId",)
            self.exchange.lose_others(self.agent, _PROMPT, result, (), known, session_id)
            session.foreground.accept(prompt.progress, result["messageId"] or None)
            self._end_turns(session)
            # The agent might have applied the client's cancellation to an earlier turn, so cancel
            # again, unless that would also stop later prompts.
            if prompt in session.prompts and session.is_cancelled:
                self._stop(session)

        def otherwise(error: BaseException) -> None:
            if not session.remove(prompt):
                return  # the turn ended before the response
            if prompt.progress.is_cancelled and getattr(error, "code", None) == REQUEST_CANCELLED:
                self.exchange.respond(self.client, request, _CANCELLED)
            else:
                self.exchange.fail(self.client, request, error)
            self._lose_reports(session)

        self.exchange.call(self.agent, _PROMPT, params, then, otherwise, request)

    def _end_turns(self, session: Session) -> None:
        """Respond to the prompts of turns that are over."""
        for prompt in session.take_over():
            session.view.calls.flush(everything=True)
            for restore in session.view.questions[:]:
                restore("failed")
            if prompt.echo is not None and prompt.echo.is_cut_short:
                self._lose(session, (UPDATE, "content"), _SHORTER)
            report = prompt.progress.end or _CANCELLED
            session.reports = [each for each in session.reports if each is not report]
            self._answer(prompt.request, report, session)
        self._lose_reports(session)

    def _answer(self, request: Request, report: JsonValue, session: Session) -> None:
        """Respond to a prompt according to an idle report."""
        reason, session_id = report.get("stopReason") or "end_turn", session.session_id
        if reason == "error":
            error = object_at(report, "error")
            code, message = error.get("code", INTERNAL_ERROR), error.get("message", "failed")
            data = {"data": error["data"]} if "data" in error else {}
            lose = partial(self.exchange.lose_others, self.agent, _UPDATE)
            lose(error, (UPDATE, "error"), ("code", "message", "data"), session_id)
            lose(report, UPDATE, (*_OF_STATE, "stopReason", "error"), session_id)
            self.exchange.fail(self.client, request, RequestError(code, message, **data))
            return
        others = without(report, *_OF_STATE, "error", "_meta")
        meta = dict(object_at(report, "_meta"))
        path = (UPDATE, "stopReason")
        known = self.exchange.convert(self.agent, "StopReason", reason, _UPDATE, session_id, path)
        if known is LOST:
            known, meta["stopReason"] = "end_turn", reason
        result = {**others, "stopReason": known, **({"_meta": meta} if meta else {})}
        self.exchange.respond(self.client, request, result)

    def _lose_reports(self, session: Session) -> None:
        """Report the fields of idle reports that can no longer end any of the client's turns."""
        while session.reports and (not session.prompts or len(session.reports) > _REPORTS):
            report = session.reports.pop(0)
            for name in filled(report, *_OF_STATE):
                self._lose(session, (UPDATE, name), _NO_TURN)

    def _lose(self, session: Session, path: Path, reason: str) -> None:
        self.exchange.lose(self.agent, _UPDATE, path, reason, session.session_id)

    def _cancel_session(self, notification: Notification) -> None:
        params = self.client.encode(notification.params, notification.method.params)
        session = self._sessions.get(params["sessionId"])
        self.exchange.notify(self.agent, "session/cancel", params)
        if session is not None:
            session.foreground.cancel()
            for prompt in session.prompts:
                if not prompt.progress.is_accepted:
                    # The agent might not accept this prompt until an earlier prompt is done.
                    self.exchange.cancel(prompt.request)

    def cancel(self, end: End, request: Request) -> None:
        for session in self._sessions.values():
            if any(prompt.request is request for prompt in session.prompts):
                self._stop(session)  # only `session/cancel` can cancel an accepted prompt
                return
        super().cancel(end, request)

    def _stop(self, session: Session) -> None:
        """Request that the agent stop working in a session."""
        session.foreground.cancel()
        self.exchange.notify(self.agent, "session/cancel", {"sessionId": session.session_id})

    # --- updates ---------------------------------------------------------------------------------

    def _update(self, notification: Notification) -> None:
        params = self.agent.encode(notification.params, notification.method.params)
        session = self._session(params["sessionId"])
        update, data = notification.params.update, params["update"]
        if session is None:
            self.exchange.lose(self.agent, _UPDATE, (), _CLOSED, params["sessionId"])
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
        elif tag == "state_update" and data["state"] == "idle":
            session.reports.append(data)
            foreground.idle(data, data.get("stopReason"))
        elif tag == "state_update":
            foreground.work("busy")
            if data["state"] != "running" or not session.prompts:
                reason = f"protocol 1 cannot report the state {data['state']!r}"
                self._lose(session, (UPDATE, "state"), reason)
        else:
            return
        self._end_turns(session)

    def flush(self) -> None:
        growing, self._growing = self._growing, {}
        for session_id, session in growing.items():
            if self._sessions.get(session_id) is session:  # neither closed nor loaded again
                session.view.calls.flush(everything=False)

    # --- permission requests and elicitations ----------------------------------------------------

    def _ask_permission(self, request: Request) -> None:
        session = self._session(request.params.session_id)
        if session is None:
            self._fail_closed(self.agent, request)
            return
        session.view.calls.flush(everything=True)
        self._questions.ask_permission(request, session.view)

    def _elicit(self, request: Request) -> None:
        self._questions.elicit(request)

    # --- closing ---------------------------------------------------------------------------------

    def end(self, end: End) -> None:
        for session in self._sessions.values():
            if end is self.agent:
                session.view.calls.flush(everything=True)
                session.view.tell_unseen()
                error = self.agent.connection.closed_error("the agent exited")
                for prompt in list(session.prompts):
                    session.remove(prompt)
                    self.exchange.fail(self.client, prompt.request, error)
                self._lose_reports(session)
            elif session.prompts:
                self._stop(session)
