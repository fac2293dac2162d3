"""The terminals of an agent of the older version, as a newer client is shown them.

The older client runs the terminals that the agent asks for; the newer one is told of those that the
agent has. Here, a handler that stands in for the client runs them, and the client is told of its
answers.
"""

from __future__ import annotations

import base64
import shlex
from collections.abc import Callable
from typing import Final

from ..jsonrpc.errors import REQUEST_CANCELLED
from ..jsonrpc.events import Request
from .exchange import Exchange
from .newer_session import Session
from .rules import JsonValue
from .stand_in import StandIn

_OUTPUT: Final = "terminal/output"
_RELEASE: Final = "terminal/release"
_TRUNCATED = "the beginning of the output is missing, which the newer version cannot say"


class NewerTerminals:
    """The requests that a handler answers in place of the client."""

    def __init__(
        self,
        exchange: Exchange,
        stand_in: StandIn,
        find: Callable[[str], Session | None],
        tell: Callable[[Session, JsonValue], None],
    ) -> None:
        """Start without terminals.

        Args:
            exchange: answers the agent, and is told of losses.
            stand_in: what the handler is asked.
            find: returns a session that is open.
            tell: sends the client an update.
        """
        self._exchange = exchange
        self._agent = exchange.agent
        self._stand_in = stand_in
        self._find = find
        self._tell = tell
        # The requests to release a terminal that wait for the last output of it.
        self._releasing: dict[Request, Request] = {}

    def take(self, request: Request) -> bool:
        """Take a request of the agent if the handler answers it; return whether it does."""
        if request.method.name not in self._stand_in.methods:
            return False
        params = self._agent.encode(request.params, request.method.params)
        if request.method.name == _RELEASE and _OUTPUT in self._stand_in.methods:
            self._release(request, params)
        else:
            self._ask(request, params)
        return True

    def cancel(self, request: Request) -> bool:
        """Cancel a request of the agent; return whether the handler has it."""
        return self._stand_in.cancel(self._releasing.get(request, request))

    def _release(self, request: Request, params: JsonValue) -> None:
        """Release a terminal once its last output is shown."""
        output = self._stand_in.request(
            _OUTPUT, {name: params[name] for name in ("sessionId", "terminalId")}
        )
        self._releasing[request] = output

        def then(result: JsonValue) -> None:
            del self._releasing[request]
            self._show(_OUTPUT, params, result)
            self._ask(request, params)

        def otherwise(error: BaseException) -> None:
            del self._releasing[request]
            if getattr(error, "code", None) == REQUEST_CANCELLED:
                self._exchange.fail(self._agent, request, error)
            else:  # then its end is not shown
                self._ask(request, params)

        self._stand_in.ask(output, then, otherwise)

    def _ask(self, request: Request, params: JsonValue) -> None:
        def then(result: JsonValue) -> None:
            self._exchange.respond(self._agent, request, result)
            self._show(request.method.name, params, result)

        self._stand_in.ask(request, then, self._exchange.refuse(self._agent, request))

    def _show(self, method: str, params: JsonValue, result: JsonValue) -> None:
        """Show the client what the handler has answered."""
        session = self._find(params["sessionId"])
        if session is None:
            return
        if method == "terminal/create":
            session.terminals[result["terminalId"]] = {"terminalId": result["terminalId"]}
            self._update(session, result["terminalId"], _beginning(params))
        elif method == _OUTPUT:
            if result["truncated"]:
                client, place = self._exchange.client, ((), "truncated")
                self._exchange.lose(client, method, place, _TRUNCATED, session.session_id)
            data = base64.b64encode(result["output"].encode("utf-8", "replace")).decode()
            self._update(
                session, params["terminalId"], _ending(result.get("exitStatus")), {"data": data}
            )
        elif method == "terminal/wait_for_exit":
            self._update(session, params["terminalId"], _ending(result))

    def _update(
        self, session: Session, terminal_id: str, known: JsonValue, output: JsonValue | None = None
    ) -> None:
        """Tell the client of a terminal, and keep what can be told again, but for the output."""
        if terminal_id not in session.terminals:
            return
        session.terminals[terminal_id] |= known
        shown = {"sessionUpdate": "terminal_update", "terminalId": terminal_id, **known}
        self._tell(session, shown if output is None else {**shown, "output": output})


def _beginning(params: JsonValue) -> JsonValue:
    """Return what the request that creates a terminal tells of it."""
    arguments = [shlex.quote(argument) for argument in params.get("args") or ()]
    given = {name: params[name] for name in ("cwd", "_meta") if params.get(name) is not None}
    return {"command": " ".join([params["command"], *arguments]), **given}


def _ending(status: JsonValue | None) -> JsonValue:
    """Return how the command of a terminal has ended; nothing if it runs."""
    return {} if status is None else {"exitStatus": status}
