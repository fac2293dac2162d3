"""Executors that run calls in parallel processes or sequentially in this process."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Any, ParamSpec, TypeVar, cast

from acpgen.commands import interruption

P = ParamSpec("P")
T = TypeVar("T")


@contextmanager
def processes(count: int) -> Iterator[Executor]:
    """Yield an executor with new processes, which are terminated if the context raises an error.

    Functions, arguments and results are pickled.
    """
    pool = _Processes(count)
    try:
        with interruption.kept_from_children():
            for _ in range(count):
                pool.workers.append(_Worker())
                pool.idle.put(pool.workers[-1])
        yield pool
    except BaseException:  # including KeyboardInterrupt
        with interruption.ignored():
            for worker in pool.workers:
                worker.process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
        for worker in pool.workers:
            worker.end()


class InPlace(Executor):
    """An executor that runs calls immediately in the calling thread, where errors are raised."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run a call and return its result as a finished future."""
        future: Future[T] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


class _Processes(ThreadPoolExecutor):
    """An executor with a thread for each process. The thread sends calls and waits for results.

    Unlike the processes in standard library pools, these processes can be terminated while they are
    working. Each process has its own pipe. When the process exits, the pipe closes, and the thread
    stops waiting.
    """

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self.workers: list[_Worker] = []
        self.idle: SimpleQueue[_Worker] = SimpleQueue()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        return super().submit(self._call, fn, *args, **kwargs)

    def _call(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        worker = self.idle.get()
        try:
            return cast(T, worker.call(fn, *args, **kwargs))
        finally:
            self.idle.put(worker)


class _Worker:
    """A process and the pipe to it."""

    def __init__(self) -> None:
        context = get_context("spawn")
        self._pipe, other_end = context.Pipe()
        self.process = context.Process(target=_serve, args=(other_end,), daemon=True)
        self.process.start()
        other_end.close()  # the process has its own copy of this end

    def call(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        """Run a call in the process, and return its result or raise its error."""
        try:
            self._pipe.send((fn, args, kwargs))
            result, error, shown = self._pipe.recv()
        except (EOFError, BrokenPipeError, ConnectionResetError):
            self.process.join(1)
            status = self.process.exitcode
            problem = f"a worker process exited with status {status}"
            raise ChildProcessError(f"{problem}, possibly out of memory; try again") from None
        if error is not None:
            raise error from _RemoteError(shown)
        return result

    def end(self) -> None:
        """Wait for the process to finish its last call and exit."""
        self._pipe.close()
        self.process.join()


class _RemoteError(Exception):
    """The traceback from another process, to print together with the error that it belongs to."""


def _serve(pipe: Connection) -> None:
    """Run the calls received from a pipe until its other end is closed."""
    with suppress(EOFError, BrokenPipeError):
        while True:
            fn, args, kwargs = pipe.recv()
            try:
                pipe.send((fn(*args, **kwargs), None, ""))
            except Exception as error:
                pipe.send((None, error, traceback.format_exc()))
