"""The sample extensions, and functions that build extensions and import their packages."""

from __future__ import annotations

import atexit
import functools
import importlib
import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from acpgen.analysis.extension import read_base, read_extension
from acpgen.analysis.surface import Built
from acpgen.common import paths
from acpgen.emit.extension import render_extension
from acpgen.ir.surface import Surface
from acpgen.schema.extension import ExtensionDocument, load_extension

HERE = Path(__file__).resolve().parent
# The samples, each with the surface that it extends.
SAMPLES = {"acme": "v2", "claude_code": "v1", "kiro": "v1", "models": "v1"}

Schema = dict[str, Any]


def sample(name: str) -> Path:
    return HERE / "schemas" / f"{name}.schema.json"


@contextmanager
def saved(schema: Any) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "own.schema.json"
        path.write_text(json.dumps(schema), encoding="utf-8")
        yield path


def build(schema: Schema | Path, surface: str = "v2", *, unprefixed: bool = False) -> Built:
    """Build the extension that a schema describes.

    Raises:
        InputError: If the generator raises this error.
    """
    document, base = read_base(surface)
    if isinstance(schema, Path):
        return read_extension(schema, document, base, allow_unprefixed=unprefixed)
    with saved(schema) as path:
        return read_extension(path, document, base, allow_unprefixed=unprefixed)


def composed(path: Path, surface: str) -> ExtensionDocument:
    """Return the document of an extension, including the protocol's definitions."""
    document, base = read_base(surface)
    return load_extension(path, document, base, allow_unprefixed=True)


def write_package(surface: Surface, folder: Path) -> None:
    folder.mkdir(parents=True)
    for path, text in render_extension(surface, paths.TEMPLATES, "acp_bindings").items():
        (folder / path).write_text(text, encoding="utf-8")


@contextmanager
def imported(surface: Surface, name: str) -> Iterator[ModuleType]:
    """Yield the generated package of an extension. Afterwards, remove its modules."""
    with tempfile.TemporaryDirectory() as folder:
        write_package(surface, Path(folder) / name)
        sys.path.insert(0, folder)
        importlib.invalidate_caches()
        try:
            yield importlib.import_module(name)
        finally:
            sys.path.remove(folder)
            for module in [each for each in sys.modules if f"{each}.".startswith(f"{name}.")]:
                del sys.modules[module]


@functools.cache
def package(name: str, surface: str | None = None) -> Any:
    """Generate, import and return a sample's package, which stays imported until exit."""
    extended = surface or SAMPLES[name]
    built = build(sample(name), extended, unprefixed=True)
    context = imported(built.surface, name if surface is None else f"{name}_{surface}")
    atexit.register(context.__exit__, None, None, None)
    return context.__enter__()
