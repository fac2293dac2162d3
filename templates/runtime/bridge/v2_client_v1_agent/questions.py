"""Permission requests and elicitations from a v1 agent to a v2 client.

A v2 permission request has its own title, and the tool call is its subject. While a request is
pending, the session's state in version 2 is `requires_action`. A request that cannot be forwarded
is reported as a loss and gets the response `cancelled`, or `cancel` for an elicitation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...jsonrpc.events import Request
from ...jsonrpc.messages import RequestId
from ...values.errors import Path
from ...values.unset import UNSET
from ..exchange import Exchange
from ..rules import LOST, JsonValue, without
from .session import Session
from .updates import Updates

_PERMISSION = "session/request_permission"
# Fields that only the v2 permission request defines.
_FOREIGN = ("title", "description", "subject")
# The title of a permission request for a tool call without a title.
_TITLE = "May the agent continue?"
_NO_PERMISSION = {"outcome": {"outcome": "cancelled"}}
_NO_INPUT = {"action": "cancel"}
_CLOSED = "the session is closed; responding with 'cancelled'"
_NO_OPTIONS = (
    "none of the options is of a kind that protocol 2 clients support; responding with 'cancelled'"
)
_UNKNOWN = "protocol 1 has no such outcome; responding with 'cancelled'"


class Questions:
    """The agent's permission requests and elicitations."""

    def __init__(
        self,
        exchange: Exchange,
        updates: Updates,
        prompts: Mapping[RequestId, Session],
        tell_state: Callable[[Session], None],
    ) -> None:
        self._exchange = exchange
        self._client, self._agent = exchange.client, exchange.agent
        self._updates = updates
        self._prompts = prompts
        self._tell_state = tell_state

    def ask_permission(self, request: Request, session: Session | None) -> None:
        """Forward a permission request. `session` is None if the session is closed."""
        exchange, agent = self._exchange, self._agent
        params = agent.encode(request.params, request.method.params)
        if session is None:
            self._give_up(request, params["sessionId"], _NO_PERMISSION, _CLOSED)
            return
        place: Path = ((), "toolCall")
        name = _PERMISSION
        call = self._updates.tool_call(session, params["toolCall"], place, name)
        session.state.apply(request.params.tool_call)  # the client also applies this update
        options = exchange.convert_items(
            agent, "PermissionOption", params["options"], name, session.session_id, ((), "options")
        )
        if not options:
            self._give_up(request, session.session_id, _NO_PERMISSION, _NO_OPTIONS)
            return
        known = session.state.tool_calls[params["toolCall"]["toolCallId"]]
        rest = self._updates.without_foreign(session, params, _FOREIGN, name)
        asked = {
            **without(rest, "toolCall"),
            "title": _TITLE if known.title is None or known.title is UNSET else known.title,
            "options": options,
        }
        if call is not LOST:
            asked["subject"] = {"type": "tool_call", "toolCall": call}

        def convert(result: JsonValue) -> JsonValue:
            rule = "RequestPermissionOutcome"
            outcome = exchange.convert(
                self._client, rule, result["outcome"], name, session.session_id, ((), "outcome")
            )
            return LOST if outcome is LOST else {**result, "outcome": outcome}

        self._ask(request, session, asked, convert, _NO_PERMISSION)

    def elicit(self, request: Request, session: Session | None) -> None:
        """Forward an elicitation. `session` is None if the session is closed or not specified."""
        exchange, name = self._exchange, request.method.name
        params = self._agent.encode(request.params, request.method.params)
        if "requestId" in params:
            session = self._prompts.get(params["requestId"])
            if session is not None:
                # The client's prompt already has a response, so refer to the session instead.
                del params["requestId"]
                params["sessionId"] = session.session_id
            elif (named := exchange.named_by(params["requestId"], self._agent)) is not None:
                params["requestId"] = named
            else:
                exchange.refuse(self._agent, request, "the request already has a response")
                return
        elif session is None:
            self._give_up(request, params.get("sessionId"), _NO_INPUT, _CLOSED)
            return
        session_id = None if session is None else session.session_id
        rule = "CreateElicitationRequest"
        asked = exchange.convert(self._agent, rule, params, name, session_id)
        if asked is LOST:
            self._give_up(
                request,
                session_id,
                _NO_INPUT,
                "protocol 2 does not support this kind of elicitation; responding with 'cancel'",
            )
            return

        def convert(result: JsonValue) -> JsonValue:
            rule = "CreateElicitationResponse"
            return exchange.convert(self._client, rule, result, name, session_id)

        self._ask(request, session, asked, convert, _NO_INPUT)

    def _ask(
        self,
        request: Request,
        session: Session | None,
        asked: JsonValue,
        convert: Callable[[JsonValue], JsonValue],
        otherwise: JsonValue,
    ) -> None:
        """Call the client and respond to the agent with the converted result.

        `otherwise` is the result to send if the client's result cannot be converted.
        """
        exchange, name = self._exchange, request.method.name
        session_id = None if session is None else session.session_id
        settle = self._wait_for_answer(session)

        def then(result: JsonValue) -> None:
            answer = convert(result)
            if answer is LOST:
                exchange.lose(self._client, name, (), _UNKNOWN, session_id)
            settle()
            exchange.respond(self._agent, request, otherwise if answer is LOST else answer)

        def refuse(error: BaseException) -> None:
            settle()
            exchange.fail(self._agent, request, error)

        exchange.call(self._client, name, asked, then, refuse, request)

    def _wait_for_answer(self, session: Session | None) -> Callable[[], None]:
        """Report that the turn requires action.

        Returns:
            A function to call when the response arrives.
        """
        turn = None if session is None else session.turn
        if session is None or turn is None:
            return lambda: None
        turn.has_begun = True
        turn.questions += 1
        if turn.questions == 1:
            self._tell_state(session)

        def settle() -> None:
            turn.questions -= 1
            # If the turn was cancelled, its end will be reported soon, so report nothing here.
            if session.turn is turn and not turn.questions and not turn.is_cancelled:
                self._tell_state(session)

        return settle

    def _give_up(
        self, request: Request, session_id: str | None, answer: JsonValue, reason: str
    ) -> None:
        self._exchange.lose(self._agent, request.method.name, (), reason, session_id)
        self._exchange.respond(self._agent, request, answer)
