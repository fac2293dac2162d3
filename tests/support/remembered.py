"""The steps of `acpgen generate`, each run once for the same inputs in a whole test run.

Most tests of commands generate the vendored schema. What they look at is what a command does with
the result; the result itself has tests of its own.
"""

from __future__ import annotations

import hashlib
import os
import pickle
from collections.abc import Callable
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

from acpgen import __version__, paths


class Remembered(Executor):
    """Runs each call in this process, as it is submitted, unless its result is known.

    A result is kept and handed out as bytes, as between processes: no caller can change it for
    another. Errors are raised where a call is submitted, and not kept.
    """

    def __init__(self, folder: Path) -> None:
        """Keep results in a folder, which all workers of a test run share."""
        self._folder = folder
        folder.mkdir(exist_ok=True)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Run a call, or remember what it returned."""
        future: Future[Any] = Future()
        if "<locals>" in fn.__qualname__:  # a test put it in the place of a step
            future.set_result(fn(*args, **kwargs))
        else:
            future.set_result(pickle.loads(self._remember(fn, args, kwargs)))
        return future

    def _remember(
        self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> bytes:
        call = pickle.dumps((__version__, fn, args, kwargs, *map(_digest, _read_by(args))))
        known = self._folder / hashlib.sha256(call).hexdigest()
        if not known.exists():
            part = known.with_suffix(f".{os.getpid()}")
            part.write_bytes(pickle.dumps(fn(*args, **kwargs)))
            part.replace(known)
        return known.read_bytes()


def _read_by(args: tuple[Any, ...]) -> list[Path]:
    """The files that a step may read: the templates, and the schema that it is given."""
    schemas = [each.path for each in args if hasattr(each, "path")]
    return [*schemas, *sorted(each for each in paths.TEMPLATES.rglob("*") if each.is_file())]


def _digest(path: Path) -> tuple[str, bytes]:
    return str(path), hashlib.sha256(path.read_bytes()).digest()
