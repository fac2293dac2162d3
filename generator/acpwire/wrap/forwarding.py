"""Forward bytes between a client and an agent that this process starts.

Two threads forward bytes, one in each direction, and do nothing else that could take time. They
read no more than the receiver accepts: a slow reader slows its writer. `copies` go to the monitor
process, which records and checks them and never delays the traffic.

The agent leads a session, so that a signal to the group of this process reaches it once: this
process forwards it. `termination` terminates the processes of that session.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from select import select
from types import FrameType
from typing import IO, Any

from acp_bindings.runtime.aio.finding_programs import as_started

from acpwire.processes import as_program, cannot_start
from acpwire.termination import Termination
from acpwire.wrap.copies import Copies

_CHUNK = 1 << 16
# The signals forwarded to the agent's process group. The first two also terminate other processes.
_FINAL = ("SIGTERM", "SIGHUP")
_TO_GROUP = (*_FINAL, "SIGINT", "SIGQUIT")
_TO_AGENT = ("SIGUSR1", "SIGUSR2", "SIGBREAK")
# How long the agent's output can stay open after its exit on Windows, in seconds.
_GRACE = 5.0


def run(command: Sequence[str], log: Path | None, max_size: int, keep: int, *, quiet: bool) -> int:
    """Forward a conversation until the agent exits and its output is forwarded.

    Return the exit status of the agent, negative if a signal ended it; raise an `InputError` if the
    agent cannot be started.
    """
    incoming, outgoing = _reserve(0), _reserve(1)
    agent = _start(as_program(command))
    assert agent.stdin is not None
    assert agent.stdout is not None
    ending = Termination(agent.pid)
    name = None if log is None else str(log)
    options = {"log": name, "max_size": max_size, "keep": keep, "quiet": quiet}
    copies = Copies({"time": time.time(), "command": list(command), **options})
    sink, source = _taken(agent.stdin), _taken(agent.stdout)
    back = _Passage(source, outgoing, partial(copies.put, "received"), ending.begin)
    with _signals_to(agent, ending, back):
        back.start()
        _Passage(incoming, sink, partial(copies.put, "sent"), ending.begin).start()
        status = agent.wait()
        ending.begin()
        back.finish()
        ending.wait()
        copies.end(status)
    return status


def end_like(status: int) -> int:
    """End this process by the signal that ended the agent; otherwise, return the exit code."""
    if status >= 0:
        return status
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # only the agent writes a core dump
    with suppress(OSError, ValueError):  # such as SIGKILL, which no process can change
        signal.signal(-status, signal.SIG_DFL)
    with suppress(OSError):
        os.kill(os.getpid(), -status)
    return 128 - status


def _reserve(descriptor: int) -> int:
    """Return a duplicate of a standard descriptor, which is connected to nothing afterwards."""
    reserved = os.dup(descriptor)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, descriptor)
    os.close(nothing)
    if sys.platform != "win32":
        os.set_blocking(reserved, True)
    return reserved


def _taken(pipe: IO[bytes]) -> int:
    with pipe:
        return os.dup(pipe.fileno())


def _start(command: Sequence[str]) -> subprocess.Popen[bytes]:
    pipe, options = subprocess.PIPE, dict[str, Any]()
    started: Sequence[str] | str = command
    try:
        if sys.platform == "win32":
            options["creationflags"] = subprocess.CREATE_NEW_PROCESS_GROUP
            started = as_started(command)
            options["shell"] = isinstance(started, str)
        else:
            options["start_new_session"] = True
        return subprocess.Popen(started, stdin=pipe, stdout=pipe, bufsize=0, **options)
    except OSError as error:
        raise cannot_start(command[0], error) from error


@contextmanager
def _signals_to(
    agent: subprocess.Popen[bytes], ending: Termination, back: _Passage
) -> Iterator[None]:
    """Forward signals to the agent; after its exit, they end the forwarding of its output."""

    def pass_on(number: int, frame: FrameType | None) -> None:
        name = signal.Signals(number).name
        if agent.returncode is not None:
            back.abandon()
            return
        if name in _FINAL:
            ending.begin()
        if sys.platform != "win32" and name in _TO_GROUP:
            with suppress(OSError):  # it just exited
                os.killpg(agent.pid, number)
        else:
            agent.send_signal(number)

    names = (*_TO_GROUP, *_TO_AGENT)
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    before = {number: signal.signal(number, pass_on) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class _Passage:
    """One direction: a thread that forwards bytes until their end, or until the reader exits."""

    def __init__(
        self, source: int, sink: int, copy: Callable[[bytes], None], on_end: Callable[[], object]
    ) -> None:
        """Prepare the thread. `copy` is called with all bytes before they are written."""
        self._source = source
        self._sink = sink
        self._copy = copy
        self._on_end = on_end
        self._last, self._finish = os.pipe()
        self._is_over = threading.Event()

    def start(self) -> None:
        threading.Thread(target=self._pass_on, daemon=True).start()

    def finish(self) -> None:
        """Wait until all output of the agent is forwarded, once it exited.

        Programs that it started can keep its output open; their later output is lost.
        """
        os.write(self._finish, b"\n")
        # The reader determines how long this takes. Windows cannot wait for two events.
        self._is_over.wait(_GRACE if sys.platform == "win32" else None)

    def abandon(self) -> None:
        """Let `finish` return even if the reader has left bytes unread."""
        self._is_over.set()

    def _pass_on(self) -> None:
        try:
            while data := self._read():
                self._copy(data)  # before a response is possible
                left = memoryview(data)
                while left:
                    left = left[os.write(self._sink, left) :]
        except OSError:
            pass  # nothing reads it anymore; the writer notices when the source is closed
        finally:
            self._on_end()
            os.close(self._source)
            os.close(self._sink)
            self._is_over.set()

    def _read(self) -> bytes:
        """Wait for bytes; return none at the end, or after `finish` if none remain."""
        if sys.platform != "win32":
            ready, _, _ = select([self._source, self._last], [], [])
            if self._source not in ready:
                # This was checked first, so bytes that arrived in between arrived before `finish`.
                ready, _, _ = select([self._source], [], [], 0)
            if not ready:
                return b""
        return os.read(self._source, _CHUNK)
