"""`NewerClient`: a client of the newer version, with an agent of the older one.

The difference that matters is the turn. The newer `session/prompt` is answered as the prompt is
accepted, and the turn ends with an update, `idle`; the older one is answered when the turn ends.
The older agent has one prompt at a time. So another one is held back until then: it has no answer,
and can be cancelled.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from ..jsonrpc.errors import METHOD_NOT_FOUND, REQUEST_CANCELLED, RequestError
from ..jsonrpc.events import Notification, Request
from ..jsonrpc.messages import RequestId
from ..values.errors import quotation
from ..values.unset import UNSET
from .exchange import End, as_answer, cannot_say
from .newer_questions import NewerQuestions
from .newer_session import Session, Turn
from .newer_sessions import NewerSessions, not_found, shown_options
from .newer_terminals import NewerTerminals
from .rules import LOST, JsonValue, without

_CANCELLED: Final = "cancelled"
_PROMPT: Final = "session/prompt"
# Members of the update `idle`; in an older response to a prompt, they mean nothing.
_OF_IDLE = ("sessionUpdate", "state", "background", "error")
_LATE = "the session is closed"
_REFUSED = "the client was told that the prompt is accepted: its turn ends with the error"


class NewerClient(NewerSessions):
    """Shows an agent of the older version to a client of the newer one."""

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
        """See `Translator`."""
        super().__init__(*args)
        # The sessions in which the agent works on a prompt, by the id that it has at the agent.
        self._prompted: dict[RequestId, Session] = {}
        self._questions = NewerQuestions(
            self.exchange, self._updates, self._prompted, self._tell_activity
        )
        self._terminals = (
            None
            if self.stand_in is None
            else NewerTerminals(self.exchange, self.stand_in, self._find, self._tell)
        )

    def take_request(self, end: End, request: Request) -> None:
        """See `Translator`."""
        terminals = self._terminals if end is self.agent else None
        if terminals is None or not terminals.take(request):
            super().take_request(end, request)

    # --- prompts ---------------------------------------------------------------------------------

    def _prompt(self, request: Request) -> None:
        session = self._registry.sessions.get(request.params.session_id)
        if session is None:
            self.exchange.fail(self.client, request, not_found(request.params.session_id))
        elif self._is_refused(request):
            return
        elif session.is_busy:
            session.held_back[request] = None
        else:
            self._begin(request, session)

    def _begin(self, request: Request, session: Session) -> None:
        """Send a prompt to the agent, and tell the client that it is accepted."""
        params = self._params(request)
        prompt = params["prompt"]
        params = self._convert(self.client, session.session_id, "PromptRequest", params, _PROMPT)
        if params is LOST or len(params["prompt"]) < len(prompt):
            self._refuse(request, cannot_say(_PROMPT))
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

        # On its own behalf: once it is accepted, only `session/cancel` can end it.
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
        """End a turn as the agent has failed."""
        answer = as_answer(error)
        assert isinstance(answer, RequestError), "an error that is an answer"
        if turn.is_cancelled and answer.code == REQUEST_CANCELLED:
            # The response should have said so, but libraries raise errors for what is aborted.
            self._end_turn(session, turn, {"stopReason": _CANCELLED})
            return
        if not turn.has_begun:
            self.exchange.lose(self.agent, _PROMPT, (), _REFUSED, session.session_id)
        failure = {"code": answer.code, "message": answer.message}
        if answer.data is not UNSET:
            failure["data"] = answer.data
        self._end_turn(session, turn, {"stopReason": "error", "error": failure})

    def _end_turn(self, session: Session, turn: Turn, ending: JsonValue) -> None:
        """Tell the client that a turn is over, unless it was told so as the session was closed.

        Args:
            session: its session.
            turn: the turn.
            ending: how it has ended, as members of the update `idle`.
        """
        self._prompted.pop(turn.call_id, None)
        if session.turn is turn:
            session.turn = None
            session.end_message()
            self._tell(session, {"sessionUpdate": "state_update", "state": "idle", **ending})
            self._release(session)

    def _close_turn(self, session: Session) -> None:
        """See `NewerSessions`."""
        if session.turn is not None:
            self._end_turn(session, session.turn, {"stopReason": _CANCELLED})

    def _release(self, session: Session) -> None:
        """See `NewerSessions`."""
        while session.held_back and not session.is_busy:
            request = next(iter(session.held_back))
            del session.held_back[request]
            self.take_request(self.client, request)

    def _tell_activity(self, session: Session) -> None:
        """See `NewerSessions`."""
        self._tell(session, {"sessionUpdate": "state_update", "state": session.activity})

    # --- cancelling ------------------------------------------------------------------------------

    def _cancel_session(self, notification: Notification) -> None:
        """Cancel the turn, and the prompts that wait for its end."""
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
        """See `Translator`."""
        if self._terminals is not None and self._terminals.cancel(request):
            return  # its answer says whether it was in time
        session = self._registry.sessions.get(getattr(request.params, "session_id", ""))
        if session is not None:
            session.held_back.pop(request, None)
        super().cancel(end, request)

    def end(self, end: End) -> None:
        """See `Translator`. The calls that were made to that end have failed before."""
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
        for request in end.connection.requests:  # nobody waits for their answers
            self.exchange.cancel(request)

    # --- options ---------------------------------------------------------------------------------

    def _set_option(self, request: Request) -> None:
        params = self._params(request)
        kind = params["type"]
        session = self._registry.sessions.get(params["sessionId"])
        if session is None:
            self.exchange.fail(self.client, request, not_found(params["sessionId"]))
        elif session.options.mode_id == params["configId"] and kind == "id":
            self._set_mode(request, session, params)
        elif session.options.mode_id == params["configId"] or kind not in ("id", "boolean"):
            self._refuse(request, cannot_say(f"an option of the type {kind}"))
        else:
            self._set_own_option(request, session, params)

    def _set_mode(self, request: Request, session: Session, params: JsonValue) -> None:
        """Set the option that stands for modes."""

        def then(result: JsonValue) -> None:
            session.options.choose_mode(params["value"])
            self.exchange.respond(self.client, request, {**result, **shown_options(session)})

        chosen = {**without(params, "configId", "type", "value"), "modeId": params["value"]}
        refuse = self.exchange.refuse(self.client, request)
        self.exchange.call(self.agent, "session/set_mode", chosen, then, refuse, request)

    def _set_own_option(self, request: Request, session: Session, params: JsonValue) -> None:
        """Set an option that the agent has as such."""
        name = request.method.name

        def then(result: JsonValue) -> None:
            self._updates.set_options(session, result["configOptions"], (), name)
            self.exchange.respond(self.client, request, {**result, **shown_options(session)})

        # The older version only marks what is not an id.
        chosen = without(params, "type") if params["type"] == "id" else params
        refuse = self.exchange.refuse(self.client, request)

        def otherwise(error: BaseException) -> None:
            # An agent that has only modes need not have the method, which the client can't know.
            if isinstance(error, RequestError) and error.code == METHOD_NOT_FOUND:
                option = quotation(params["configId"])
                error = RequestError.invalid_params(message=f"the agent has no option {option}")
            refuse(error)

        self.exchange.call(self.agent, name, chosen, then, otherwise, request)

    # --- what the agent says ---------------------------------------------------------------------

    def _update(self, notification: Notification) -> None:
        params = self.agent.encode(notification.params, notification.method.params)
        session = self._find(params["sessionId"])
        if session is None:
            self.exchange.lose(self.agent, "session/update", (), _LATE, params["sessionId"])
            return
        turn, data = session.turn, params["update"]
        if turn is not None and turn.echo and data["sessionUpdate"] == "user_message_chunk":
            message_id = data.get("messageId")
            if turn.echo.takes(data["content"], message_id, notification):
                return  # the client has it since the prompt was accepted
            if earlier := turn.echo.departs(message_id):
                turn.echo = None
                for each in earlier:
                    self._update(each)
        self._updates.name(session, notification.params.update, data)
        if session.replay == "shown" and (emptied := self._updates.empty(session, data)):
            self._tell(session, emptied)
        update = self._updates.take(session, notification.params.update, data)
        if update is not None:
            self.exchange.notify(self.client, "session/update", {**params, "update": update})
        elif session.replay is None:
            known, session_id = ("sessionId", "update"), session.session_id
            self.exchange.lose_others(self.agent, "session/update", params, (), known, session_id)

    def _ask_permission(self, request: Request) -> None:
        self._questions.ask_permission(request, self._find(request.params.session_id))

    def _elicit(self, request: Request) -> None:
        session_id = getattr(request.params, "session_id", None)
        session = self._find(session_id) if isinstance(session_id, str) else None
        self._questions.elicit(request, session)
