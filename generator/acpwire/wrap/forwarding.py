"""Forwarding of bytes between a client and an agent that this process starts.

Two threads forward bytes, one in each direction, and do no other work that takes time. The threads
read no more than the receiver accepts, so a slow reader slows down the writer. `copies` sends
copies to the monitor process, which records and checks them without delaying the traffic.

The agent is the leader of a new session, so signals to this process's group don't reach the agent
directly. This process forwards these signals so that the agent receives each of them once.
`termination` terminates the processes in that session.
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
# The signals that also trigger the termination of all processes that the agent started.
_FINAL = ("SIGTERM", "SIGHUP")
# The signals forwarded to the agent's process group, and the signals forwarded only to the agent.
_TO_GROUP = (*_FINAL, "SIGINT", "SIGQUIT")
_TO_AGENT = ("SIGUSR1", "SIGUSR2", "SIGBREAK")
# The time limit for reading the agent's output on Windows after the agent exits, in seconds.
_GRACE = 5.0


def run(command: Sequence[str], log: Path | None, max_size: int, keep: int, *, quiet: bool) -> int:
    """Start an agent and forward all bytes until it exits and its output has been forwarded.

    Returns:
        The agent's exit code, or the negative signal number if a signal terminated it.

    Raises:
        InputError: If the agent cannot be started.
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
    """Terminate this process with the signal that terminated the agent, or return an exit code."""
    if status >= 0:
        return status
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # the agent already wrote a core dump
    with suppress(OSError, ValueError):  # handlers cannot be set for some signals, such as SIGKILL
        signal.signal(-status, signal.SIG_DFL)
    with suppress(OSError):
        os.kill(os.getpid(), -status)
    return 128 - status


def _reserve(descriptor: int) -> int:
    """Duplicate a standard stream's descriptor and connect the original to the null device."""
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
    """Forward signals to the agent.

    After the agent has exited, a signal stops the forwarding of the agent's output.
    """

    def pass_on(number: int, frame: FrameType | None) -> None:
        name = signal.Signals(number).name
        if agent.returncode is not None:
            back.abandon()
            return
        if name in _FINAL:
            ending.begin()
        if sys.platform != "win32" and name in _TO_GROUP:
            with suppress(OSError):  # the agent just exited
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
    """A thread that forwards bytes in one direction until either end is closed."""

    def __init__(
        self, source: int, sink: int, copy: Callable[[bytes], None], on_end: Callable[[], object]
    ) -> None:
        """Prepare the thread.

        Args:
            source: the descriptor to read from.
            sink: the descriptor to write to.
            copy: called with all bytes before they are written.
            on_end: called when either end is closed.
        """
        self._source = source
        self._sink = sink
        self._copy = copy
        self._on_end = on_end
        self._last, self._finish = os.pipe()
        self._is_over = threading.Event()

    def start(self) -> None:
        threading.Thread(target=self._pass_on, daemon=True).start()

    def finish(self) -> None:
        """Wait until all output of an exited agent has been forwarded.

        Programs that the agent started can keep the agent's output open. Output that such programs
        produce later is dropped.
        """
        os.write(self._finish, b"\n")
        # The wait depends on the speed at which the client reads. On Windows, `_read` cannot detect
        # the end if another program keeps the output open, so the time is limited.
        self._is_over.wait(_GRACE if sys.platform == "win32" else None)

    def abandon(self) -> None:
        """Make `finish` return even if the client has not read all output."""
        self._is_over.set()

    def _pass_on(self) -> None:
        try:
            while data := self._read():
                self._copy(data)  # copy first, so that messages are recorded before their responses
                left = memoryview(data)
                while left:
                    left = left[os.write(self._sink, left) :]
        except OSError:
            pass  # the reader exited, so closing the source notifies the writer
        finally:
            self._on_end()
            os.close(self._source)
            os.close(self._sink)
            self._is_over.set()

    def _read(self) -> bytes:
        """Return bytes, or b"" at the end of the input or if none are left after `finish`."""
        if sys.platform != "win32":
            ready, _, _ = select([self._source, self._last], [], [])
            if self._source not in ready:
                # `finish` was called. Check again, since bytes might have arrived just before.
                ready, _, _ = select([self._source], [], [], 0)
            if not ready:
                return b""
        return os.read(self._source, _CHUNK)
