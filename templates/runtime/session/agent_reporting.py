"""Agent sessions for protocol 2, in which updates report the agent's activity.

The response to a prompt only confirms that the prompt was accepted. The work continues in the
background, and an update reports that the work has ended. This update is always sent, since the
client would otherwise wait forever.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Any, ClassVar

from ..aio.tasks import close_unstarted
from ..jsonrpc.debugging import explained
from ..jsonrpc.errors import ConnectionClosed, RequestError
from ..jsonrpc.logs import call_back, logger_of
from ..values.errors import EncodeError
from ..values.unset import UNSET
from .agent import AgentSession, B, E, OpenTurn, R, S, T, U, Work
from .message import new_id
from .state import CANCELLED

_log = logger_of(__name__)


class ReportingSession(AgentSession[S, B, U, R, E, T]):
    """A protocol 2 session, in which a response confirms the prompt and an update ends the turn."""

    # The update classes that report ongoing work and work that is waiting for the user.
    _running_class: ClassVar[type]
    _waiting_class: ClassVar[type | None]
    # The number of pending permission requests and elicitations.
    _questions = 0

    async def run_turn(self, prompt: Sequence[B], work: Work[T, E]) -> R:
        """Accept a prompt and run its turn in the background.

        The first updates of a turn contain the user's message and report that the agent is busy.
        The last update reports that the agent is idle and contains the stop reason. If the turn is
        cancelled, the stop reason is `cancelled`, regardless of the work's result or exception. If
        the work returns an `IdleStateUpdate` with that reason, this update is used. If the work
        raises an exception in a turn that isn't cancelled, the stop reason is `error`. A prompt
        that arrives during a turn waits for the turn to end.

        Args:
            prompt: the prompt's content blocks.
            work: the work of the turn. The work returns the stop reason, an `IdleStateUpdate`, or
                None for `end_turn`.

        Raises:
            RequestError: If the prompt was cancelled before it was accepted.
            Exception: Any exception that `recorded` raises for the user's message.
        """
        turn = await self._begin(work)
        message_id = new_id()
        message = self._inserted(message_id, prompt)
        try:
            if turn.is_cancelled:
                raise RequestError.request_cancelled()
            # Record the message before sending the response, because the response promises the
            # client that the message will be sent.
            self._record(message)
        except BaseException:
            self._finish(turn)
            work.close()
            raise
        # End the turn when the connection closes, since its updates can no longer be sent.
        task = self.agent.spawn(self._report(turn, message, work))
        task.add_done_callback(lambda _: self._conclude(turn, work))
        return self._response(message_id)

    @asynccontextmanager
    async def _asking(self) -> AsyncGenerator[None]:
        """While a request to the user is pending, report that the work is waiting for the user."""
        self._questions += 1
        try:
            if isinstance(self._activity(), self._running_class):
                await self.update(self._waiting())
            yield
        finally:
            self._questions -= 1
            # If a turn is cancelled, report nothing here, since its end will be reported soon.
            is_over = any(turn.is_cancelled for turn in self._turns)
            is_waiting = type(self._activity()) is self._waiting_class
            if is_waiting and not self._questions and not is_over:
                await self._report_busy()

    async def _report_busy(self) -> None:
        """Report that the work is no longer waiting for the user.

        Even if the report cannot be sent, apply it to the state, which outlives the connection.

        Raises:
            EncodeError: If the update cannot be written as JSON.
        """
        update = self._busy()
        try:
            await self.update(update)
        except ConnectionClosed:
            self.state.apply(update)  # the request or the next update will raise the exception
        except EncodeError:
            self.state.apply(update)
            raise

    async def _report(self, turn: OpenTurn, message: U, work: Work[T, E]) -> None:
        await asyncio.sleep(0)  # send the response first, even with eager tasks
        ends: list[Any] = []  # the final updates to try, least informative first
        try:
            self._recorded = message
            await self.update(message)
            await self._update_own(self._busy())
            ending = self._completed(await self._outcome(turn, work))
            if self._is_recorded:
                self._record(ending)  # if recording fails, the turn also fails
                self._recorded = ending
            ends.append(ending)
        except RequestError as error:
            own = self.peer.as_own(error) if self.agent.has_peer else error
            if own is not error:
                _log.exception("a turn failed")
            ends.append(self._failed(RequestError(own.code, own.message)))
            ends.append(self._failed(own))
        except (SystemExit, KeyboardInterrupt):
            end = self._failed(RequestError.internal_error())
            self._end_now(turn, end)  # this call doesn't wait, since the program is exiting
            raise
        except (asyncio.CancelledError, GeneratorExit):
            raise  # the connection closed; `_conclude` reports the end
        except BaseException as error:  # includes the exceptions of test frameworks
            if not self.agent.has_peer or self.peer.is_worth_logging(error):
                _log.exception("a turn failed")
            if self.agent.has_peer and self.peer.debug:
                ends.append(self._failed(explained(error)))
        while ends:
            try:
                await self._send_end(turn, ends.pop())
                break
            except EncodeError:  # the error's data or message isn't valid JSON
                _log.exception("cannot report the end of a turn in full")
        else:
            await self._send_end(turn, self._failed(RequestError.internal_error()))

    async def _send_end(self, turn: OpenTurn, end: U) -> None:
        """Send a final update with `update`, or directly if an override of `update` fails to.

        Raises:
            EncodeError: If the final update cannot be written as JSON.
        """
        before = self._activity()
        self._record_end(end)
        try:
            await self.update(end)
        except EncodeError:
            raise
        except Exception as error:
            if not self.agent.has_peer or self.peer.is_worth_logging(error):
                _log.exception("'update' failed to send the end of a turn; sending it directly")
        finally:
            last = self._activity()
            turn.is_reported = last is not before and isinstance(last, self._ending_class)
        if not turn.is_reported:
            self._end_now(turn, end)
        self._recorded = None

    def _record_end(self, end: U) -> None:
        """Record a final update unless it has already been recorded. Log any exception."""
        if self._is_recorded and end is not self._recorded:
            call_back(self._record, end, what="'recorded'", log=_log)
            self._recorded = end

    def _end_now(self, turn: OpenTurn, end: U) -> None:
        """Send a final update without waiting, and apply it to the state even if sending fails."""
        self._record_end(end)
        if self.agent.has_peer:
            with suppress(ConnectionClosed):
                self._post(end)
        turn.is_reported = True
        self._apply(end)

    def _conclude(self, turn: OpenTurn, work: Work[T, E]) -> None:
        """Finish a turn. If the turn's task failed before it sent a final update, send one."""
        close_unstarted(work)
        if not turn.is_reported:
            self._end_now(turn, self._completed(self._ending(CANCELLED)))
        self._finish(turn)

    async def replay(self) -> None:
        """Recreate the state with as few updates as possible in a client that resumes the session.

        These updates always report whether the agent is busy.

        Raises:
            ConnectionClosed: If the connection is closed.
        """
        if self._activity() is None:  # nothing has been reported yet
            self._change(self._idle())
        await super().replay()

    async def report_state(self) -> None:
        """Report the agent's activity to a client that resumes the session without a replay.

        Raises:
            ConnectionClosed: If the connection is closed.
        """
        activity: Any = self._activity()
        await (self.repeat(activity) if activity else self.update(self._idle()))

    def _activity(self) -> object:
        """Return the last update that reported whether the agent is busy, if any."""
        return getattr(self.state, "state", None)

    def _background(self) -> Any:
        """Return the last reported background work, which each later report must repeat."""
        return getattr(self._activity(), "background", UNSET)

    def _completed(self, ending: Any) -> Any:
        """Return a final update, adding the last reported background work if none is given."""
        if getattr(ending, "background", None) is UNSET:
            return replace(ending, background=self._background())
        return ending

    def _response(self, message_id: str) -> R:
        raise NotImplementedError

    def _inserted(self, message_id: str, prompt: Sequence[B]) -> U:
        raise NotImplementedError

    def _busy(self) -> U:
        raise NotImplementedError

    def _waiting(self) -> U:
        raise NotImplementedError

    def _idle(self) -> U:
        raise NotImplementedError

    def _failed(self, error: RequestError) -> U:
        raise NotImplementedError
