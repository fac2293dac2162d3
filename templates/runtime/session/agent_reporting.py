"""The sessions of agents that speak protocol 2, where updates report what the agent does.

The response only accepts the prompt. The work goes on in the background, and its end is an update:
whatever happens to the work, one is sent, or else the client would wait for ever.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, ClassVar

from ..aio.dropping import close_unstarted
from ..jsonrpc.debugging import explained
from ..jsonrpc.errors import RequestError
from ..jsonrpc.logs import logger_of
from ..values.errors import EncodeError
from ..values.unset import UNSET
from .agent import AgentSession, B, E, OpenTurn, R, S, U, Work, new_id
from .peer_access import as_own, is_worth_logging

_log = logger_of(__name__)


class ReportingSession(AgentSession[S, B, U, R, E]):
    """A session of protocol 2: the response accepts the prompt, an update ends the turn."""

    # The classes of the updates that foreground work goes on, and that it waits for the user.
    _running_class: ClassVar[type]
    _waiting_class: ClassVar[type | None]
    # The questions that have no answer yet.
    _questions = 0

    async def run_turn(self, prompt: Sequence[B], work: Work[E]) -> R:
        """Accept a prompt, and run its turn in the background.

        The updates of a turn begin with the message of the user and with the report that the agent
        is busy. They end with the report that it is idle, with the stop reason: `cancelled` if the
        turn is cancelled, whatever the work returns or raises (a whole ending with that reason is
        kept); else `error` if the work raises. A prompt that arrives during a turn waits for its
        end.

        Args:
            prompt: the content blocks of the prompt.
            work: the work on the prompt. It returns the stop reason, or a whole ending; None for
                the natural end of a turn.

        Raises:
            RequestError: the prompt was cancelled before it was accepted.
        """
        turn = await self._begin(work)
        if turn.is_cancelled:
            self._finish(turn)
            work.close()
            raise RequestError.request_cancelled()
        message_id = new_id()
        # It ends with the connection: nobody would hear of it.
        task = self.agent.spawn(self._report(turn, message_id, prompt, work))
        task.add_done_callback(lambda _: self._finish(turn))
        task.add_done_callback(lambda _: close_unstarted(work))
        return self._response(message_id)

    @asynccontextmanager
    async def _asking(self) -> AsyncGenerator[None]:
        """Report that running work waits for the user, as long as a question has no answer."""
        self._questions += 1
        if isinstance(self._activity(), self._running_class):
            await self.update(self._waiting())
        try:
            yield
        finally:
            self._questions -= 1
            # The end of a turn that is cancelled is reported soon.
            is_over = any(turn.is_cancelled for turn in self._turns)
            is_waiting = type(self._activity()) is self._waiting_class
            if is_waiting and not self._questions and not is_over:
                await self.update(self._busy())

    async def _report(
        self, turn: OpenTurn, message_id: str, prompt: Sequence[B], work: Work[E]
    ) -> None:
        await asyncio.sleep(0)  # the response comes first, even with eager tasks
        await self.update(self._inserted(message_id, prompt))
        await self.update(self._busy())
        # From the least telling to the most telling.
        ends = [self._failed(RequestError.internal_error())]
        try:
            ends.append(self._completed(await self._outcome(turn, work)))
        except RequestError as error:
            own = as_own(self.peer, error) if self.agent.has_peer else error
            if own is not error:
                _log.exception("a turn failed")
            ends.append(self._failed(RequestError(own.code, own.message)))
            ends.append(self._failed(own))
        except Exception as error:
            if not self.agent.has_peer or is_worth_logging(self.peer, error):
                _log.exception("a turn failed")
            if self.agent.has_peer and self.peer.debug:
                ends.append(self._failed(explained(error)))
        except (SystemExit, KeyboardInterrupt):
            self._post(ends[0])  # without waiting, since the program ends
            raise
        # Send the most telling end that can be written: the data or message of an error may not be
        # JSON.
        for end in reversed(ends):
            try:
                await self.update(end)
                break
            except EncodeError:
                _log.exception("the end of a turn cannot be reported as it is")

    async def replay(self) -> None:
        """Send the fewest updates that recreate the state, to a client that resumes the session.

        They always include whether the agent is busy.

        Raises:
            ConnectionClosed: the connection has ended.
        """
        if self._activity() is None:  # nothing was reported so far
            self.state.apply(self._idle())
        await super().replay()

    async def report_state(self) -> None:
        """Send whether the agent is busy, to a client that resumes the session without a replay.

        Raises:
            ConnectionClosed: the connection has ended.
        """
        activity: Any = self._activity() or self._idle()
        await self.update(activity)

    def _activity(self) -> object:
        """Return the last update that tells whether the agent is busy; None if there is none."""
        return getattr(self.state, "state", None)

    def _background(self) -> Any:
        """Return the background work last reported, which each report has to repeat."""
        return getattr(self._activity(), "background", UNSET)

    def _completed(self, ending: Any) -> Any:
        """Add the background work last reported to an ending that tells none."""
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
