"""Terminates an agent's process after a signal, or if handlers keep the process from exiting.

There are two ways in which handlers can prevent a process from exiting after its connection closes.
Handlers can leave tasks and threads running, and asyncio and the interpreter wait for these when
the program exits. Handlers can also block the event loop, so the connection cannot close. If a
process is prevented from exiting for too long, this module terminates it. If the program itself
runs other code after the connection closes, the process is not terminated.
"""

from __future__ import annotations

import _thread
import asyncio
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import Any
from weakref import WeakSet

from ..jsonrpc.logs import logger_of
from .stderr_log import log_on_stderr
from .tasks import Dropped, dropped, frames_of, is_of_package, name_of, place_of, place_of_thread

# How long the program may take to exit while tasks or threads are still running, in seconds.
_PATIENCE = 1.0
# The time between two checks of whether the process must be terminated, in seconds.
_TICK = 0.1
# The time limit for writing the last log entries, in seconds, since the output might be blocked.
_LAST_WORDS = 1.0
# The maximum number of locations in the last log entries.
_NAMED = 10
# The functions in which `asyncio.run` and the interpreter wait for tasks and threads when the
# program exits.
_EXITS = {("asyncio.runners", "_cancel_all_tasks"), ("threading", "_shutdown")}

_log = logger_of(__name__)


@contextmanager
def exit_in_time(
    linger: float, grace: float, log_level: int | str | None
) -> Generator[Callable[[], None]]:
    """Ensure that the process can exit after serving an agent in this context.

    SIGTERM and SIGHUP cancel the current task, so its `finally` blocks run.

    Args:
        linger: how long handlers may take to finish after the input ends, in seconds.
        grace: how long handlers may take to finish after they are cancelled, in seconds.
        log_level: see `log_on_stderr`.

    Yields:
        A function to call when the input ends.

    Raises:
        SystemExit: If a signal was received or a task had to be dropped. The status is 128 plus
            the signal number or, without a signal, 1.
    """
    loop, caller = asyncio.get_running_loop(), asyncio.current_task()
    assert caller is not None, "this context must be entered in a task"
    guard = _Guard(loop, linger + grace, log_level)
    leftovers = Leftovers()
    try:
        with _signals(guard, loop, caller):
            yield guard.start
        if leftovers.dropped:
            raise SystemExit(guard.status)
    finally:
        leftovers.collect()
        guard.close()
        if leftovers.places():
            # Dropped tasks have already used up the grace time.
            patience = 0.0 if leftovers.dropped else grace
            _watch_exit(caller, leftovers, guard.status, patience, log_level)


# --- a blocked event loop --------------------------------------------------------------------


class _Guard:
    """A thread that terminates the process if a handler blocks the event loop at shutdown.

    Attributes:
        status: the exit status of the process, which is 1 or, after a signal, 128 plus the signal
            number.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        patience: float,
        log_level: int | str | None,
    ) -> None:
        self.status = 1
        # Even an event loop that is not blocked needs some time to respond.
        self._patience = min(max(patience, _PATIENCE), threading.TIMEOUT_MAX)
        self._log_level = log_level
        self._loop = loop
        self._is_watching = False
        self._over = threading.Lock()
        self._over.acquire()

    def start(self) -> None:
        """Start watching the event loop. This method can be called in a signal handler."""
        # An event loop in another thread doesn't keep the program from exiting.
        is_main = threading.current_thread() is threading.main_thread()
        if is_main and not self._is_watching:
            self._is_watching = True
            with suppress(RuntimeError):  # too many threads are running
                # `threading.Thread` isn't used, since it needs a lock that the interrupted code
                # might hold.
                _thread.start_new_thread(self._watch, ())

    def close(self) -> None:
        """Stop watching the event loop, since the connection has closed."""
        self._over.release()

    def _watch(self) -> None:
        while not self._over.acquire(timeout=_TICK):
            answered = threading.Lock()
            answered.acquire()
            with suppress(RuntimeError):  # the loop is already closed
                self._loop.call_soon_threadsafe(answered.release)
                while not answered.acquire(timeout=self._patience):
                    self._end_if_blocked()

    def _end_if_blocked(self) -> None:
        main = threading.main_thread()
        # If no signal was received, only handlers have a time limit. While a handler runs, the
        # stack contains frames of this package.
        if self.status != 1 or any(is_of_package(frame) for frame in frames_of(main)):
            place = f"the event loop at {place_of_thread(main)}"
            _end_process(self.status, [place], self._log_level)


# --- leftover tasks and threads --------------------------------------------------------------


class Leftovers:
    """The tasks and threads that were started during a connection and are still running.

    Attributes:
        dropped: the tasks that were dropped.
    """

    def __init__(self) -> None:
        """Start collecting new tasks and threads."""
        self.dropped: list[Dropped] = []
        self._loop = asyncio.get_running_loop()
        self._tasks_before = WeakSet(asyncio.all_tasks())
        self._threads_before = WeakSet(_busy_threads())
        self._tasks: list[asyncio.Task[Any]] = []
        self._threads: list[threading.Thread] = []
        self._token = dropped.set(self.dropped)

    def collect(self) -> None:
        """Stop collecting tasks and threads."""
        dropped.reset(self._token)
        known = {*self._tasks_before, *(each.task for each in self.dropped)}
        tasks = asyncio.all_tasks(self._loop) - known
        self._tasks = [task for task in tasks if self._began_here(task)]
        self._threads = list(_busy_threads() - set(self._threads_before))
        if self._threads and not self._loop.is_closed():
            # Imported here, since few programs need it.
            from concurrent.futures import ThreadPoolExecutor

            # The executor is replaced, since `asyncio.run` would wait for the old executor in the
            # event loop.
            with suppress(NotImplementedError):
                self._loop.set_default_executor(ThreadPoolExecutor())

    def _began_here(self, task: asyncio.Task[Any]) -> bool:
        """Return whether a task was started by a handler, directly or indirectly."""
        get_context = getattr(task, "get_context", None)
        # Before Python 3.12, a task's context is unknown, so every task that was started during the
        # connection is treated like a handler's task.
        return get_context is None or get_context().get(dropped) is self.dropped

    def places(self) -> list[str]:
        """Return descriptions of the code that is still running, with its locations."""
        return [
            *(f"a task at {each.place}" for each in self.dropped if each.is_running),
            *(f"a task at {place_of(task)}" for task in self._tasks if not task.done()),
            *(f"a thread at {place_of_thread(each)}" for each in self._threads if _is_busy(each)),
        ]


def _busy_threads() -> set[threading.Thread]:
    """Return the busy threads that the interpreter waits for when it exits."""
    every = set(threading.enumerate()) - {threading.main_thread(), threading.current_thread()}
    return {thread for thread in every if not thread.daemon and _is_busy(thread)}


def _is_busy(thread: threading.Thread) -> bool:
    innermost = next(frames_of(thread), None)
    # Idle executor threads wait for work in `_worker` and don't delay the interpreter's exit.
    return innermost is not None and name_of(innermost) != ("concurrent.futures.thread", "_worker")


def _watch_exit(
    caller: asyncio.Task[Any],
    leftovers: Leftovers,
    status: int,
    patience: float,
    log_level: int | str | None,
) -> None:
    """Terminate the process if the program is exiting but leftover code does not finish in time."""

    def watch() -> None:
        end = time.monotonic() + patience
        began: float | None = None  # the time when the program started to exit
        while places := leftovers.places():
            if not _is_exiting(caller):
                began = None
            elif began is None:
                began = time.monotonic()
            elif time.monotonic() >= max(end, began + _PATIENCE):
                _end_process(status, places, log_level)
            time.sleep(_TICK)

    with suppress(RuntimeError):  # the interpreter is already exiting
        threading.Thread(target=watch, daemon=True).start()


def _is_exiting(caller: asyncio.Task[Any]) -> bool:
    """Return whether the program is exiting.

    Args:
        caller: the task that serves the agent. If this task raises `SystemExit`, the event loop
            stops immediately.
    """
    is_over = caller.done() and not caller.cancelled()
    if is_over and isinstance(caller.exception(), SystemExit):
        return True
    return any(name_of(frame) in _EXITS for frame in frames_of(threading.main_thread()))


def _end_process(status: int, places: list[str], log_level: int | str | None) -> None:
    """Log the locations of the code that is still running, flush all output, and exit."""

    def say() -> None:
        with log_on_stderr(log_level):
            for place in places[:_NAMED]:
                text = "terminating the process; still running: %s"
                _log.error(text, place, extra={"kind": place})
        for file in (sys.stdout, sys.stderr):
            with suppress(Exception):
                file.flush()
        logging.shutdown()

    try:
        speaker = threading.Thread(target=say, daemon=True)
        speaker.start()
        speaker.join(_LAST_WORDS)  # running code might hold a lock that logging needs
    finally:
        os._exit(status)


# --- signals ---------------------------------------------------------------------------------


@contextmanager
def _signals(
    guard: _Guard, loop: asyncio.AbstractEventLoop, task: asyncio.Task[Any]
) -> Generator[None]:
    """Cancel a task when a signal to terminate the program arrives."""
    handled: list[int] = []
    received: list[int] = []

    def restore() -> None:
        while handled:
            loop.remove_signal_handler(handled.pop())

    def end(number: int) -> None:
        received.append(number)
        restore()
        task.cancel()

    def interrupt(number: int, frame: object) -> None:
        """Start the guard. Signals are handled in the main thread, even if its loop is blocked."""
        for each in handled:
            signal.signal(each, signal.SIG_DFL)  # a second signal kills the program immediately
        guard.status = 128 + number
        guard.start()

    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        # Windows has no SIGHUP. If the program handles a signal itself, its handler is kept.
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            # Some event loops don't support signal handlers, and none do outside the main thread.
            with suppress(NotImplementedError, RuntimeError, ValueError):
                loop.add_signal_handler(number, end, number)  # this also wakes the loop
                handled.append(number)
                signal.signal(number, interrupt)
    try:
        yield
    except asyncio.CancelledError:
        if received:
            raise SystemExit(128 + received[0]) from None  # the status that shells report
        raise
    finally:
        restore()
