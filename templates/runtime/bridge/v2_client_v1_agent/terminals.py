"""The terminals of a v1 agent with a v2 client.

v1 clients run terminals for the agent. v2 clients only show terminals that the agent runs.
Therefore, the fallback handler runs the terminals, and the bridge converts the handler's responses
to updates for the client.

Rules:

1. While a terminal is running, the bridge itself requests new output from the handler and sends it
   to the client in chunks (`_look`). At most one such request per terminal is pending.
2. The last output of a terminal is sent before its exit status and before the terminal is released.
3. The exit status is sent once (`_show_exit`). Truncated output is reported once (`_report_cut`).
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from functools import partial
from typing import Final

from ...jsonrpc.errors import REQUEST_CANCELLED
from ...jsonrpc.events import Request
from ..exchange import Exchange
from ..rules import JsonValue
from ..stand_in import StandIn
from .session import Session, Terminal
from .updates import as_base64, terminal_update

_CREATE: Final = "terminal/create"
_OUTPUT: Final = "terminal/output"
_WAIT: Final = "terminal/wait_for_exit"
_RELEASE: Final = "terminal/release"
_TRUNCATED = "the beginning of the output is missing, which protocol 2 cannot express"


class Terminals:
    """The agent's requests that the fallback handler handles."""

    def __init__(
        self,
        exchange: Exchange,
        stand_in: StandIn,
        find: Callable[[str], Session | None],
        tell: Callable[[Session, JsonValue], None],
    ) -> None:
        self._exchange = exchange
        self._agent = exchange.agent
        self._stand_in = stand_in
        self._find = find
        self._tell = tell
        # The pending requests for the last output, by the request to release the terminal.
        self._releasing: dict[Request, Request] = {}

    def take(self, request: Request) -> bool:
        """Pass the agent's request to the handler and return whether the handler supports it."""
        if request.method.name not in self._stand_in.methods:
            return False
        params = self._agent.encode(request.params, request.method.params)
        if request.method.name == _RELEASE and _OUTPUT in self._stand_in.methods:
            self._release(request, params)
        else:
            self._ask(request, params)
        return True

    def cancel(self, request: Request) -> bool:
        """Cancel a request from the agent and return whether the handler was processing it."""
        return self._stand_in.cancel(self._releasing.get(request, request))

    def _release(self, request: Request, params: JsonValue) -> None:
        """Request a terminal's last output, show it and then release the terminal."""
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
            else:  # release the terminal without showing its exit status
                self._ask(request, params)

        self._stand_in.ask(output, then, otherwise)

    def _ask(self, request: Request, params: JsonValue) -> None:
        def then(result: JsonValue) -> None:
            self._exchange.respond(self._agent, request, result)
            self._show(request.method.name, params, result)

        self._stand_in.ask(request, then, self._exchange.passing_error(self._agent, request))

    def _show(self, method: str, params: JsonValue, result: JsonValue) -> None:
        """Send an update to the client after a response from the handler."""
        session = self._find(params["sessionId"])
        terminal_id = result["terminalId"] if method == _CREATE else params.get("terminalId")
        if session is not None and method == _CREATE:
            arguments = [shlex.quote(argument) for argument in params.get("args") or ()]
            known: JsonValue = {
                "terminalId": terminal_id,
                "command": " ".join([params["command"], *arguments]),
                **{name: params[name] for name in ("cwd", "_meta") if params.get(name) is not None},
            }
            session.terminals[terminal_id] = Terminal(known)
            self._tell(session, terminal_update(known))
            if _OUTPUT in self._stand_in.methods:
                key = session.session_id, terminal_id
                self._stand_in.watched[key] = partial(self._look, *key)
            return
        if session is None:
            return
        terminal = session.terminals.get(terminal_id)
        if method == _OUTPUT and result["truncated"]:
            self._report_cut(session, terminal)
        if terminal is None:
            return
        if method == _OUTPUT:
            self._show_output(session, terminal, result)
        elif method == _WAIT:
            terminal.exit_status = result
            if _OUTPUT in self._stand_in.methods:  # show any remaining output first
                self._look(session.session_id, terminal_id)
            else:
                self._show_exit(session, terminal, result)
        elif method == _RELEASE:
            self._stand_in.watched.pop((session.session_id, terminal_id), None)
            terminal.output = ""

    def _look(self, session_id: str, terminal_id: str) -> None:
        """Request a terminal's new output from the handler."""
        session = self._find(session_id)
        terminal = None if session is None else session.terminals.get(terminal_id)
        if session is None or terminal is None or terminal.is_asked:
            return
        terminal.is_asked = True
        shown, is_last = session, terminal.exit_status is not None

        def then(result: JsonValue) -> None:
            terminal.is_asked = False
            self._show_output(shown, terminal, result)
            if terminal.exit_status is None or "exitStatus" in terminal.known:
                return
            if is_last:
                self._show_exit(shown, terminal, terminal.exit_status)
            else:  # the command exited after the request
                self._look(session_id, terminal_id)

        def otherwise(error: BaseException) -> None:
            terminal.is_asked = False
            self._stand_in.watched.pop((session_id, terminal_id), None)
            if terminal.exit_status is not None:
                self._show_exit(shown, terminal, terminal.exit_status)

        params = {"sessionId": session_id, "terminalId": terminal_id}
        self._stand_in.ask(self._stand_in.request(_OUTPUT, params), then, otherwise)

    def _show_output(self, session: Session, terminal: Terminal, result: JsonValue) -> None:
        """Send the client a terminal's new output and, if its command exited, the exit status."""
        added = terminal.take_output(result["output"])
        if result["truncated"] or added is None:
            self._report_cut(session, terminal)
        terminal_id = terminal.known["terminalId"]
        if added is None:
            self._tell(session, terminal_update({"terminalId": terminal_id}, terminal.output))
        elif added:
            data = as_base64(added)
            chunk = {"sessionUpdate": "terminal_output_chunk", "terminalId": terminal_id}
            self._tell(session, {**chunk, "data": data})
        self._stand_in.shown += added != ""
        if (status := result.get("exitStatus")) is not None:
            self._show_exit(session, terminal, status)

    def _report_cut(self, session: Session, terminal: Terminal | None) -> None:
        """Report, once per terminal, that the client does not receive all of the output."""
        if terminal is None or not terminal.is_cut:
            client, place = self._exchange.client, ((), "truncated")
            self._exchange.lose(client, _OUTPUT, place, _TRUNCATED, session.session_id)
        if terminal is not None:
            terminal.is_cut = True

    def _show_exit(self, session: Session, terminal: Terminal, status: JsonValue) -> None:
        """Send the exit status of a terminal to the client, unless it has already been sent."""
        terminal_id = terminal.known["terminalId"]
        self._stand_in.watched.pop((session.session_id, terminal_id), None)
        if "exitStatus" not in terminal.known:
            terminal.exit_status = terminal.known["exitStatus"] = status
            ended = {"terminalId": terminal_id, "exitStatus": status}
            self._tell(session, terminal_update(ended))
