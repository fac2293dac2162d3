"""Packages that are generated from edited schemas, imported for a test, and then unloaded."""

from __future__ import annotations

import atexit
import functools
import importlib
import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from unittest import mock

from acpgen.analysis.surface import Built, build
from acpgen.common import paths
from acpgen.emit import package
from acpgen.emit.package import render_package, render_surface
from acpgen.inputs.overlay.decisions import Overlay
from acpgen.inputs.overlay.reading import load_overlay
from acpgen.ir.model import Definition, Record, TaggedUnion
from acpgen.ir.queries import references
from acpgen.ir.surface import Surface
from acpgen.schema.document import load_document

from tests.tools.evolution.draft import Schema
from tests.tools.evolution.evolve import vendored

_NAME = "evolved_schemas"


@functools.cache
def overlay() -> Overlay:
    return load_overlay(paths.SCHEMA / "overlay")


@functools.cache
def built_from_vendored(surface: str) -> Surface:
    return build_surface(vendored(surface), surface).surface


def build_surface(root: Schema, surface: str) -> Built:
    """Build the surface that a document describes. The document must be a valid schema.

    Unsupported parts are removed, as from any schema that isn't vendored.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "schema.json"
        path.write_text(json.dumps(root), encoding="utf-8")
        document = load_document(path)
    return build(document, overlay(), surface, strict=False)


@functools.cache
def _folder() -> Path:
    """Return the folder of an importable package to which surfaces are added."""
    parent = tempfile.TemporaryDirectory()
    atexit.register(parent.cleanup)
    sys.path.insert(0, parent.name)
    folder = Path(parent.name) / _NAME
    _write(folder, render_package(paths.TEMPLATES))
    return folder


@contextmanager
def imported(surface: Surface, label: str, *, formatted: bool) -> Iterator[ModuleType]:
    """Generate a surface, import all its modules, and unload them afterward."""
    name = f"{_NAME}.{label}"
    with _formatting(formatted):
        files = render_surface(surface, paths.TEMPLATES)
    prefix = f"{surface.name}/"
    inside = {f"{label}/{path.removeprefix(prefix)}": text for path, text in files.items()}
    _write(_folder(), inside)
    importlib.invalidate_caches()
    try:
        for path in inside:
            module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
            importlib.import_module(f"{_NAME}.{module}")
        yield sys.modules[name]
    finally:
        for module in [each for each in sys.modules if f"{each}.".startswith(f"{name}.")]:
            del sys.modules[module]


@contextmanager
def _formatting(formatted: bool) -> Iterator[None]:
    if formatted:
        yield
    else:
        with mock.patch.object(package, "format_module", str):
            yield


def _write(folder: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


# --- parts of a surface ----------------------------------------------------------------------


def reduced(surface: Surface, names: set[str]) -> Surface:
    """Return a surface with only the named types and their dependencies, for faster rendering."""
    needed: set[str] = set()
    pending = names & surface.definitions.keys()
    while pending:
        needed |= pending
        used = {each for name in pending for each in _used(surface.definitions[name])}
        pending = used - needed
    kept = {name: each for name, each in surface.definitions.items() if name in needed}
    return replace(
        surface,
        definitions=kept,
        methods=(),
        updates=(),
        session_update=None,
        content_block=None,
        session=None,
        deprecated={},
    )


def _used(definition: Definition) -> Iterator[str]:
    shapes = []
    if isinstance(definition, Record):
        shapes = [member.shape for member in definition.members]
        yield from (arm.target for arm in definition.subtypes)
        yield from filter(None, (definition.base, definition.owner))
    elif isinstance(definition, TaggedUnion):
        yield from (arm.target for arm in definition.arms)
        yield from filter(None, (definition.owner,))
        shapes = [definition.default] if definition.default is not None else []
        if definition.unknown is not None:
            shapes += [member.shape for member in definition.unknown.members]
            shapes += [definition.unknown.choice] if definition.unknown.choice else []
    else:
        shapes = [definition.shape]
    for shape in shapes:
        yield from references(shape)
