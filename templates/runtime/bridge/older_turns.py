"""The turns of an older client, whose prompts are answered when they end."""

from __future__ import annotations

from collections.abc import Iterable

from ..jsonrpc.errors import INTERNAL_ERROR, REQUEST_CANCELLED, RequestError
from ..jsonrpc.events import Request
from ..session.turn_phases import Progress
from ..values.errors import Path
from .exchange import Exchange
from .older_session import Prompt, Session
from .older_view import UPDATE
from .rules import LOST, JsonValue, object_at

_CANCELLED = {"stopReason": "cancelled"}
_REASON: Path = (UPDATE, "stopReason")


class Turns:
    """Begins, cancels and ends the turns of all sessions."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange
        self._client, self._agent = exchange.client, exchange.agent

    def begin(self, request: Request, session: Session, params: JsonValue) -> None:
        """Send a prompt to the agent.

        Args:
            request: the client's request.
            session: its session.
            params: its params, in the newer version.
        """
        prompt = Prompt(request, params["prompt"], Progress(is_busy=session.is_busy))
        session.prompts.append(prompt)

        def then(result: JsonValue) -> None:
            prompt.progress.accept(result["messageId"] or None)
            if prompt.is_cancelled and not prompt.progress.is_over:
                self.stop(session)  # the agent may have taken the first one for an earlier turn
            self.end(session, session.take_over())

        def otherwise(error: BaseException) -> None:
            if prompt in session.prompts:
                session.prompts.remove(prompt)
            if prompt.is_cancelled and getattr(error, "code", None) == REQUEST_CANCELLED:
                self._exchange.respond(self._client, request, _CANCELLED)
            else:
                self._exchange.fail(self._client, request, error)

        self._exchange.call(self._agent, "session/prompt", params, then, otherwise, request)

    def cancel(self, session: Session) -> None:
        """Cancel all prompts of a session, of which the agent was told."""
        for prompt in session.prompts:
            prompt.is_cancelled = True
            if not prompt.progress.is_accepted:
                self._exchange.cancel(prompt.request)  # it may wait behind an earlier one

    def cancel_one(self, session: Session, request: Request) -> bool:
        """Cancel a prompt that was accepted; return whether it is one of this session."""
        for prompt in session.prompts:
            if prompt.request is request:
                prompt.is_cancelled = True
                self.stop(session)
                return True
        return False

    def stop(self, session: Session) -> None:
        """Ask the agent to stop what it does in a session."""
        params = {"sessionId": session.session_id}
        self._exchange.notify(self._agent, "session/cancel", params)

    def fail(self, session: Session) -> None:
        """Answer all prompts of a session, whose agent has ended."""
        gone = self._agent.connection.closed_error("the agent has ended")
        for prompt in session.prompts:
            self._exchange.fail(self._client, prompt.request, gone)
        session.prompts.clear()

    def end(self, session: Session, prompts: Iterable[Prompt]) -> None:
        """Answer prompts whose turns are over."""
        for prompt in prompts:
            session.view.calls.flush(everything=True)
            for restore in session.view.questions[:]:  # the client takes no update after the answer
                restore("failed")
            self._answer(prompt, prompt.progress.end or _CANCELLED, session.session_id)

    def _answer(self, prompt: Prompt, report: JsonValue, session_id: str) -> None:
        """Answer a prompt as a report says that its turn has ended."""
        reason = report.get("stopReason") or "end_turn"
        if reason == "error":
            error = object_at(report, "error")
            code, message = error.get("code", INTERNAL_ERROR), error.get("message", "failed")
            data = {"data": error["data"]} if "data" in error else {}
            failure = RequestError(code, message, **data)
            self._exchange.fail(self._client, prompt.request, failure)
            return
        meta = dict(object_at(report, "_meta"))
        method = "session/update"
        known = self._exchange.convert(
            self._agent, "StopReason", reason, method, session_id, _REASON
        )
        if known is LOST:
            known, meta["stopReason"] = "end_turn", reason
        result = {"stopReason": known, **({"_meta": meta} if meta else {})}
        self._exchange.respond(self._client, prompt.request, result)
