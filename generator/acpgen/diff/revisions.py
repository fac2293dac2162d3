"""Reads the schema revisions that the arguments of `acpgen diff` specify."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from acpgen.analysis.extension import read_source
from acpgen.analysis.surface import understand
from acpgen.common import paths
from acpgen.common.problems import InputError, Problem
from acpgen.inputs.sources.fetch import fetch
from acpgen.inputs.sources.files import is_surface, newest_surface
from acpgen.ir.surface import Surface


@dataclass(frozen=True, slots=True)
class Revision:
    """A revision of the schema."""

    surfaces: dict[str, Surface]  # by name
    notes: list[Problem]  # notes about unchecked parts of the schema


def read_revisions(
    old: str, new: str, surface: str | None, *, strict: bool = False
) -> tuple[Revision, Revision]:
    """Read the surfaces of two revisions. See `read_revision`.

    Args:
        old: the old revision.
        new: the new revision.
        surface: the surface to read. If None, the surface that `old` or `new` specifies is read, or
            all surfaces if neither specifies one.
        strict: whether to treat unchecked parts of the schema as errors.

    Raises:
        InputError: If a revision cannot be read, or if `surface` is given although both revisions
            are surfaces.
    """
    if surface and _is_surface(old) and _is_surface(new):
        message = f"does not apply, because {old} and {new} are surfaces; omit it"
        raise InputError([Problem("--surface", "", "usage", message)])
    names = [surface] if surface else [side for side in (old, new) if _is_surface(side)][:1]
    return read_revision(old, names, strict=strict), read_revision(new, names, strict=strict)


def read_revision(name: str, surfaces: list[str], *, strict: bool = False) -> Revision:
    """Read the surfaces of a revision.

    Args:
        name: a surface of the vendored schema, or a source that `fetch` accepts.
        surfaces: the surfaces to read. If there are none, all surfaces are read. If the source is
            a single file, specify one surface.
        strict: whether to treat unchecked parts of the schema as errors.

    Raises:
        InputError: If the revision doesn't exist or isn't a usable schema.
    """
    if _is_surface(name):
        return _revision(*understand(paths.SCHEMA, [name], strict=strict))
    with fetch(name) as fetched:
        built, notes = understand(fetched.path, surfaces, strict=strict)
    return _revision(built, fetched.renamed(notes))


def read_extensions(
    old: str, new: str, surface: str | None, *, strict: bool = False
) -> tuple[Revision, Revision]:
    """Read two revisions of an extension's schema.

    Args:
        old: the source of the old revision.
        new: the source of the new revision.
        surface: the extended surface, or None for the newest stable surface.
        strict: whether to treat unchecked parts of the schema as errors.

    Raises:
        InputError: If a revision doesn't exist or isn't a usable schema.
    """
    revisions = []
    for source in (old, new):
        base = surface or newest_surface()
        built = read_source(source, base, strict=strict, allow_unprefixed=True)
        # Include the protocol's definitions, which are the same in both revisions.
        whole = replace(built.surface, definitions=built.surface.known)
        revisions.append(_revision([whole], built.notes))
    return revisions[0], revisions[1]


def _revision(surfaces: Iterable[Surface], notes: Iterable[Problem]) -> Revision:
    unchecked = [note for note in notes if note.code == "unchecked"]
    return Revision({surface.name: surface for surface in surfaces}, unchecked)


def _is_surface(name: str) -> bool:
    return is_surface(name) and not Path(name).exists()


def label_of(name: str, surfaces: Mapping[str, Surface]) -> str:
    """Return a revision's name for reports or, for a folder, the recorded origin of its files."""
    if not Path(name).is_dir():
        return name
    labels = {surface.origin.label for surface in surfaces.values()}
    return labels.pop() if len(labels) == 1 else Path(name).resolve().name
