"""Helpers that run the generator with a modified overlay or schema and return the errors."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest
from acpgen.analysis.surface import Built, build, combine
from acpgen.cli.app import app
from acpgen.common import paths
from acpgen.common.problems import InputError
from acpgen.inputs.overlay.reading import load_overlay
from acpgen.inputs.sources.files import locate_schemas
from acpgen.schema.document import Document, load_document
from typer.testing import CliRunner

from tests.support.paths import SURFACES


def refused(*arguments: str | Path) -> str:
    """Run `generate` without writing anything and return its errors."""
    result = CliRunner().invoke(app, ["generate", *map(str, arguments), "--out", "made"])
    assert (result.exit_code, result.stdout) == (2, "")
    assert not Path("made").exists()
    return result.stderr


@functools.cache
def document(surface: str) -> Document:
    [source] = locate_schemas(paths.SCHEMA, [surface])
    return load_document(source.path, source.origin)


@functools.cache
def vendored() -> list[Built | InputError]:
    """Return the surfaces of the vendored schemas, built with the unchanged overlay."""
    decisions = load_overlay(paths.SCHEMA / "overlay")
    return [build(document(surface), decisions, surface) for surface in SURFACES]


def fit(folder: Path, surface: str | None = None) -> None:
    """Check an overlay with all vendored surfaces or with only the given surface."""
    decisions = load_overlay(folder)
    built = vendored()
    if surface is not None:
        built = [build(document(surface), decisions, surface)]
    combine(built, decisions, vendored=True, whole=surface is None)


def problems(folder: Path, surface: str | None = None) -> list[str]:
    with pytest.raises(InputError) as caught:
        fit(folder, surface)
    return [problem.line() for problem in caught.value.problems]


def append(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(f"\n{text}\n")
