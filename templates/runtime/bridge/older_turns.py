"""The turns of an older client, whose prompts are answered when they end."""

from __future__ import annotations

from functools import partial

from ..jsonrpc.errors import INTERNAL_ERROR, REQUEST_CANCELLED, RequestError
from ..jsonrpc.events import Request
from ..values.errors import Path
from .exchange import Exchange
from .older_session import Session
from .older_view import UPDATE
from .rules import LOST, JsonValue, filled, object_at, without

_CANCELLED = {"stopReason": "cancelled"}
_REASON: Path = (UPDATE, "stopReason")
_PROMPT = "session/prompt"
_UPDATE = "session/update"
# The fields of an idle report that don't concern the turn.
_OF_STATE = ("sessionUpdate", "state", "background")
_NO_TURN = "the agent ended a turn that no prompt of the client began"
_SHORTER = "the client shows the prompt, and the agent shows only the beginning of it"
# How many idle reports are kept for prompts with responses that can name them.
_REPORTS = 100


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
        prompt = session.begin(request, params["prompt"])

        def then(result: JsonValue) -> None:
            self._exchange.lose_others(
                self._agent, _PROMPT, result, (), ("messageId",), session.session_id
            )
            session.foreground.accept(prompt.progress, result["messageId"] or None)
            self.end(session)
            # The agent might have applied the first one to an earlier turn. A second one would also
            # stop later prompts.
            if prompt in session.prompts and session.is_cancelled:
                self.stop(session)

        def otherwise(error: BaseException) -> None:
            if not session.remove(prompt):
                return  # its turn ended before the response
            if prompt.progress.is_cancelled and getattr(error, "code", None) == REQUEST_CANCELLED:
                self._exchange.respond(self._client, request, _CANCELLED)
            else:
                self._exchange.fail(self._client, request, error)
            self._lose_reports(session)

        self._exchange.call(self._agent, _PROMPT, params, then, otherwise, request)

    def take_state(self, session: Session, data: JsonValue) -> None:
        """Process an update about the state of a session.

        Args:
            session: the session.
            data: the update.
        """
        state = data["state"]
        if state == "idle":
            session.reports.append(data)
            session.foreground.idle(data, data.get("stopReason"))
            return
        session.foreground.work("busy")
        if state != "running" or not session.prompts:
            reason = f"protocol 1 clients are not sent the state {state!r}"
            self._lose(session, (UPDATE, "state"), reason)

    def cancel(self, session: Session) -> None:
        """Cancel all prompts of a session, of which the agent was told."""
        session.foreground.cancel()
        for prompt in session.prompts:
            if not prompt.progress.is_accepted:
                self._exchange.cancel(prompt.request)  # it may wait behind an earlier one

    def cancel_one(self, session: Session, request: Request) -> bool:
        """Cancel a prompt that was accepted; return whether it is one of this session."""
        for prompt in session.prompts:
            if prompt.request is request:
                self.stop(session)
                return True
        return False

    def stop(self, session: Session) -> None:
        """Ask the agent to stop what it does in a session."""
        session.foreground.cancel()
        params = {"sessionId": session.session_id}
        self._exchange.notify(self._agent, "session/cancel", params)

    def fail(self, session: Session) -> None:
        """Answer all prompts of a session, whose agent has ended."""
        gone = self._agent.connection.closed_error("the agent has ended")
        for prompt in list(session.prompts):
            session.remove(prompt)
            self._exchange.fail(self._client, prompt.request, gone)
        self._lose_reports(session)

    def end(self, session: Session) -> None:
        """Respond to the prompts with a turn that is over."""
        for prompt in session.take_over():
            session.view.calls.flush(everything=True)
            for restore in session.view.questions[:]:  # the client takes no update after the answer
                restore("failed")
            if prompt.echo is not None and prompt.echo.is_cut_short:
                self._lose(session, (UPDATE, "content"), _SHORTER)
            report = prompt.progress.end or _CANCELLED
            session.reports = [each for each in session.reports if each is not report]
            self._answer(prompt.request, report, session)
        self._lose_reports(session)

    def _lose_reports(self, session: Session) -> None:
        """Report the dropped parts of idle reports that end none of the client's turns."""
        while session.reports and (not session.prompts or len(session.reports) > _REPORTS):
            report = session.reports.pop(0)
            for name in filled(report, *_OF_STATE):
                self._lose(session, (UPDATE, name), _NO_TURN)

    def _lose(self, session: Session, path: Path, reason: str) -> None:
        self._exchange.lose(self._agent, _UPDATE, path, reason, session.session_id)

    def _answer(self, request: Request, report: JsonValue, session: Session) -> None:
        """Answer a prompt as a report says that its turn has ended."""
        reason = report.get("stopReason") or "end_turn"
        others = without(report, *_OF_STATE, "stopReason", "error", "_meta")
        if reason == "error":
            error = object_at(report, "error")
            code, message = error.get("code", INTERNAL_ERROR), error.get("message", "failed")
            data = {"data": error["data"]} if "data" in error else {}
            failure = RequestError(code, message, **data)
            lose = partial(self._exchange.lose_others, self._agent, _UPDATE)
            lose(error, (UPDATE, "error"), ("code", "message", "data"), session.session_id)
            lose(report, UPDATE, (*_OF_STATE, "stopReason", "error"), session.session_id)
            self._exchange.fail(self._client, request, failure)
            return
        meta = dict(object_at(report, "_meta"))
        known = self._exchange.convert(
            self._agent, "StopReason", reason, _UPDATE, session.session_id, _REASON
        )
        if known is LOST:
            known, meta["stopReason"] = "end_turn", reason
        result = {**others, "stopReason": known, **({"_meta": meta} if meta else {})}
        self._exchange.respond(self._client, request, result)
