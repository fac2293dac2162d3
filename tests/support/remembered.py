"""A cache for the steps of commands, so that each step runs only once per test run.

Most tests of commands read the vendored schema or generate a package from it. They check how a
command uses the result. Other tests check the result itself.
"""

from __future__ import annotations

import functools
import hashlib
import os
import pickle
from collections.abc import Callable
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any, cast

from acpgen import __version__
from acpgen.analysis.surface import Built, build_source
from acpgen.common import paths
from acpgen.common.display import display_path
from acpgen.common.problems import InputError
from acpgen.inputs.overlay.decisions import Overlay
from acpgen.inputs.overlay.reading import load_overlay
from acpgen.inputs.sources.files import Source

from tests.interop.environments import locked

# Building a schema with fewer bytes is faster than looking up the cached result.
LARGE = 20_000


class Remembered(Executor):
    """An executor that runs each call in this process immediately, unless its result is cached.

    The cache contains pickled results, so that callers can't change each other's results. `submit`
    raises errors directly and doesn't cache them.
    """

    def __init__(self, folder: Path) -> None:
        """Cache results in a folder that all workers of a test run share."""
        self._folder = folder
        self._overlays: dict[tuple[tuple[str, bytes], ...], bytes] = {}
        folder.mkdir(exist_ok=True)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Run a call or return its cached result."""
        future: Future[Any] = Future()
        if "<locals>" in fn.__qualname__:  # a test's replacement for a step
            future.set_result(fn(*args, **kwargs))
        else:
            future.set_result(self._remember(fn, args, kwargs))
        return future

    def build_source(self, source: Source, overlay: Overlay, strict: bool) -> Built | InputError:
        """Call `build_source`, or return its cached result."""
        if source.path.stat().st_size < LARGE:
            return build_source(source, overlay, strict)
        return self.submit(build_source, source, overlay, strict).result()

    def load_overlay(self, folder: Path) -> Overlay:
        """Call `load_overlay`, or return its cached result."""
        files = tuple((path.name, _digest(str(path))) for path in sorted(folder.glob("*.toml")))
        if files not in self._overlays:
            self._overlays[files] = pickle.dumps(load_overlay(folder))
        return cast(Overlay, pickle.loads(self._overlays[files]))

    def _remember(
        self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        step = f"{fn.__module__}.{fn.__qualname__}"
        schemas = [_content(each.path) for each in args if hasattr(each, "path")]
        call = pickle.dumps((__version__, step, args, kwargs, *schemas, _templates()))
        known = self._folder / hashlib.sha256(call).hexdigest()
        with locked(known.with_suffix(".lock")):  # another worker might be running the call
            if known.exists():
                return pickle.loads(known.read_bytes())
            result = fn(*args, **kwargs)
            known.write_bytes(pickle.dumps(result))
        return result


def _templates() -> list[tuple[str, bytes]]:
    """Return the relative paths and digests of the templates, which any step can read."""
    top = str(paths.TEMPLATES)
    files = (os.path.join(folder, name) for folder, _, names in os.walk(top) for name in names)
    return [(path[len(top) :], _digest(path)) for path in sorted(files)]


def _content(path: Path) -> tuple[str, bytes]:
    """Return the parts of a file that can affect a step: its path in messages and its digest."""
    return display_path(path), _digest(str(path))


def _digest(path: str) -> bytes:
    """Return a file's digest. The file is read again only after it changes."""
    status = os.stat(path)
    return _read(path, status.st_mtime_ns, status.st_size)


@functools.cache
def _read(path: str, changed: int, size: int) -> bytes:
    return hashlib.sha256(Path(path).read_bytes()).digest()
