"""Signals and log output of the current process, and commands and exit codes of child processes."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from collections.abc import AsyncGenerator, Coroutine, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import TypeAlias, TypeVar

from acp_bindings.runtime.aio import Exit
from acpgen.common.display import printable
from acpgen.common.problems import InputError, Problem

_SCHEMES = ("http://", "https://", "ws://", "wss://")
# When the first of these signals arrives, the command exits gracefully. A second signal kills the
# command.
_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")

Signalled: TypeAlias = "asyncio.Future[int]"
There = TypeVar("There")
Back = TypeVar("Back")


def is_url(word: str) -> bool:
    """Return whether an argument is the URL of a remote agent."""
    return word.lower().startswith(_SCHEMES)


def as_program(command: Sequence[str]) -> Sequence[str]:
    """Return the command itself or, if it is a URL, a command that connects to the URL."""
    if len(command) == 1 and is_url(command[0]):
        return [sys.executable, "-m", "acpgen", "connect", command[0]]
    return command


def cannot_start(program: str, error: OSError, owner: str = "an agent") -> InputError:
    """Return the exception to raise for a program that cannot be started."""
    reason = f"cannot be started ({error.strerror or error}); pass {owner} program"
    return InputError([Problem(program, "", "io", reason)])


def exit_code(exit: Exit | None) -> int:
    """Return a program's exit code, or 128 plus the signal number if a signal terminated it."""
    if exit is None:
        return 1
    if exit.signal is None:
        return exit.code or 0
    number = getattr(signal, exit.signal, None) or exit.signal.removeprefix("signal ")
    return 128 + int(number)


def report(command: str, text: str) -> None:
    """Print a line to standard error, prefixed with the command's name."""
    with suppress(OSError, ValueError):  # standard error is closed
        print(f"acpgen {command}: {printable(text)}", file=sys.stderr, flush=True)


@contextmanager
def signals() -> Iterator[Signalled]:
    """Provide a future that receives the number of the first termination signal."""
    loop = asyncio.get_running_loop()
    signalled: Signalled = loop.create_future()
    numbers: list[int] = []

    def restore() -> None:
        while numbers:
            loop.remove_signal_handler(numbers.pop())

    def end(number: int) -> None:
        restore()
        signalled.set_result(number)

    for name in _SIGNALS:  # some systems and event loops support only some signals
        with suppress(AttributeError, NotImplementedError, RuntimeError, ValueError):
            number = getattr(signal, name)
            loop.add_signal_handler(number, end, number)
            numbers.append(number)
    try:
        yield signalled
    finally:
        restore()


@contextmanager
def warnings_shown(command: str) -> Iterator[None]:
    """Print the package's log messages, such as conversion losses, to standard error."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter(f"acpgen {command}: %(message)s"))
    logger = logging.getLogger("acp_bindings")
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)


@asynccontextmanager
async def both_ways(
    there: Coroutine[object, object, There], back: Coroutine[object, object, Back]
) -> AsyncGenerator[tuple[asyncio.Task[There], asyncio.Task[Back]]]:
    """Run two coroutines as tasks. Leaving the context cancels the tasks and waits for them."""
    tasks = asyncio.create_task(there), asyncio.create_task(back)
    try:
        yield tasks
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
