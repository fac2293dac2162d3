"""The process of a command that stands between programs: its signals, warnings and exit code."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TypeAlias

from acp_bindings.runtime.aio import Exit
from acpgen.common.display import printable

# The signals that end the command, and the agent with it. The next one ends it at once.
_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")

Signalled: TypeAlias = "asyncio.Future[int]"


def exit_code(exit: Exit | None) -> int:
    """The exit code of a program as shells have it."""
    if exit is None:
        return 1
    if exit.signal is None:
        return exit.code or 0
    number = getattr(signal, exit.signal, None) or exit.signal.removeprefix("signal ")
    return 128 + int(number)


def report(command: str, text: str) -> None:
    """Print a line on standard error."""
    with suppress(OSError, ValueError):  # nothing reads it
        print(f"acpgen {command}: {printable(text)}", file=sys.stderr, flush=True)


@contextmanager
def signals() -> Iterator[Signalled]:
    """Wait for the signals that end a program."""
    loop = asyncio.get_running_loop()
    signalled: Signalled = loop.create_future()
    numbers = [getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)]

    def restore() -> None:
        while numbers:
            loop.remove_signal_handler(numbers.pop())

    def end(number: int) -> None:
        restore()
        signalled.set_result(number)

    for number in numbers[:]:
        try:
            loop.add_signal_handler(number, end, number)
        except (NotImplementedError, RuntimeError, ValueError):  # not on every system or loop
            numbers.remove(number)
    try:
        yield signalled
    finally:
        restore()


@contextmanager
def warnings_shown(command: str) -> Iterator[None]:
    """Print what the package logs, such as losses, on standard error: a line for each."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter(f"acpgen {command}: %(message)s"))
    logger = logging.getLogger("acp_bindings")
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
