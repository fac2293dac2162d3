"""Locations of tasks and threads in the program's own code, for log entries."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Iterator
from types import FrameType
from typing import Any

from ..jsonrpc.logs import PACKAGE

# Modules that only run the program's own code; their lines are not informative.
_MACHINERY = ("asyncio", "concurrent", "threading")
# How many calls are named, the innermost last.
_CALLS = 5


def place_of(task: asyncio.Task[Any]) -> str:
    """Return where a task waits: the file, line and function of its innermost coroutines."""
    frames = (each.cr_frame for each in coroutines_of(task))
    return _described(frame for frame in frames if frame is not None) or "its end"


def place_of_thread(thread: threading.Thread) -> str:
    """Return where a thread is: the file, line and function of its innermost calls."""
    return _described(reversed(list(frames_of(thread)))) or "its end"


def frames_of(thread: threading.Thread) -> Iterator[FrameType]:
    """Yield the frames of a thread, the innermost first; none if it ended."""
    frames = sys._current_frames()  # pyright: ignore[reportPrivateUsage]
    frame = frames.get(thread.ident or 0)
    while frame is not None:
        yield frame
        frame = frame.f_back


def coroutines_of(task: asyncio.Task[Any]) -> list[Any]:
    """Return the coroutine of a task, and the coroutines that it awaits, outermost first."""
    coroutines: list[Any] = [task.get_coro()]
    while getattr(awaited := getattr(coroutines[-1], "cr_await", None), "cr_frame", None):
        coroutines.append(awaited)
    return coroutines


def _described(frames: Iterator[FrameType]) -> str:
    """Return the places of frames, outermost first: the program's own, and the innermost."""
    every = list(frames)
    own = [frame for frame in every[:-1] if not _is_machinery(frame)]
    return " > ".join(
        f"{frame.f_code.co_filename}:{frame.f_lineno} in {frame.f_code.co_name}"
        for frame in (*own[-_CALLS:], *every[-1:])
    )


def name_of(frame: FrameType) -> tuple[object, str]:
    """Return the module and the function of a frame."""
    return frame.f_globals.get("__name__"), frame.f_code.co_name


def is_of_package(frame: FrameType) -> bool:
    """Return whether a frame runs code of this package."""
    return _is_of(frame, PACKAGE)


def _is_machinery(frame: FrameType) -> bool:
    return is_of_package(frame) or any(_is_of(frame, each) for each in _MACHINERY)


def _is_of(frame: FrameType, module: str) -> bool:
    name = str(frame.f_globals.get("__name__"))
    return name == module or name.startswith(f"{module}.")
