"""Run calls in parallel processes, or one after the other in this process."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import active_children, get_context
from threading import Thread
from typing import Any, ParamSpec, TypeVar

from acpgen.commands.running import signals

P = ParamSpec("P")
T = TypeVar("T")

# How long threads may take that wait for nothing, in seconds.
_MOMENT = 0.3


@contextmanager
def processes(count: int, initializer: Callable[[], object]) -> Iterator[Executor]:
    """Start processes on demand; when the context ends with an error, they end with it.

    Args:
        count: how many at most.
        initializer: called in each process as it starts; it is pickled, as are the calls.
    """
    others = set(active_children())
    pool = _Processes(count, get_context("spawn"), initializer)
    try:
        yield pool
    except BaseException:  # Ctrl-C included
        with signals.ignored():
            for process in set(active_children()) - others:
                process.terminate()
        pool.let_go()
        raise
    finally:
        # Not `cancel_futures`: the pool fails all calls as it finds that their processes are gone.
        # Before Python 3.12.1, its thread prints a traceback for each that is cancelled meanwhile.
        pool.shutdown()


class InPlace(Executor):
    """Runs each call at once, in the calling thread; errors are raised where it is submitted.

    As a context, it stops the garbage collector, which takes an eighth of the time of generating.
    """

    _collects = False

    def __enter__(self) -> InPlace:
        self._collects = gc.isenabled()
        gc.disable()
        return self

    def __exit__(self, *raised: object) -> None:
        if self._collects:
            gc.enable()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run a call."""
        future: Future[T] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


class _Processes(ProcessPoolExecutor):
    """A pool of processes that do not see Ctrl-C: the one that started them ends them."""

    def let_go(self) -> None:
        """Give up what is being sent to and from processes that have ended.

        This process holds the other ends of their pipes, too. While these are open, the threads of
        the pool wait for the rest of a result, or, before Python 3.11.5, for someone to read work.
        """
        pool: Any = self
        manager: Thread | None = pool._executor_manager_thread
        if manager is None:
            return
        pool._result_queue._writer.close()
        # Nothing may be closed here that these threads may close at the same time.
        if sys.version_info < (3, 11, 5):
            manager.join(_MOMENT)
            if manager.is_alive():
                pool._call_queue._reader.close()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        with signals.kept_from_children():
            return super().submit(fn, *args, **kwargs)
