"""Packages made from edited schemas in this process, importable for as long as they are tried."""

from __future__ import annotations

import functools
import hashlib
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

from acpgen import paths
from acpgen.build.surface import Built, build
from acpgen.emit import package
from acpgen.emit.package import render_package, render_surface
from acpgen.inputs.document import load_document
from acpgen.inputs.overlay import Overlay, load_overlay
from acpgen.ir.model import Definition, Record, TaggedUnion
from acpgen.ir.queries import references
from acpgen.ir.surface import Surface

from evolution.draft import Schema
from evolution.evolve import vendored

_NAME = "evolved_schemas"


@functools.cache
def overlay() -> Overlay:
    """The project's decisions."""
    return load_overlay(paths.SCHEMA / "overlay")


@functools.cache
def built_from_vendored(surface: str) -> Surface:
    """The surface that a vendored schema describes."""
    return build_surface(vendored(surface), surface).surface


def build_surface(root: Schema, surface: str) -> Built:
    """Build the surface that a document describes; `evolve` has found it to be a valid schema.

    Raises:
        InputError: as the generator does.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "schema.json"
        path.write_text(json.dumps(root), encoding="utf-8")
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        document = load_document(path, known={digest})
    return build(document, overlay(), surface)


class Packages:
    """One package with the runtime, in a folder, to which surfaces are added one at a time."""

    def __init__(self, folder: Path) -> None:
        """Write the runtime, and make the package importable."""
        self._folder = folder / _NAME
        _write(self._folder, render_package(paths.TEMPLATES))
        sys.path.insert(0, str(folder))

    def close(self) -> None:
        """Forget the package."""
        sys.path.remove(str(self._folder.parent))
        _forget(_NAME)

    @contextmanager
    def imported(self, surface: Surface, label: str, *, formatted: bool) -> Iterator[ModuleType]:
        """Generate a surface, import all its modules, and forget them afterwards.

        Args:
            surface: what to generate.
            label: what to call it; unique among those that are imported at the same time.
            formatted: whether `black` formats the modules, which takes most of the time.
        """
        name = f"{_NAME}.{label}"
        with _formatting(formatted):
            files = render_surface(surface, paths.TEMPLATES)
        prefix = f"{surface.name}/"
        inside = {f"{label}/{path.removeprefix(prefix)}": text for path, text in files.items()}
        _write(self._folder, inside)
        importlib.invalidate_caches()
        try:
            for path in inside:
                module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
                importlib.import_module(f"{_NAME}.{module}")
            yield sys.modules[name]
        finally:
            _forget(name)


@contextmanager
def _formatting(formatted: bool) -> Iterator[None]:
    if formatted:
        yield
    else:
        with mock.patch.object(package, "format_source", str):
            yield


def _forget(name: str) -> None:
    for module in [each for each in sys.modules if f"{each}.".startswith(f"{name}.")]:
        del sys.modules[module]


def _write(folder: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


# --- less than a whole surface ---------------------------------------------------------------


def reduced(surface: Surface, names: set[str]) -> Surface:
    """A surface with the types alone that some names need: a tenth of the work of rendering it."""
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
    """The definitions that one refers to."""
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
