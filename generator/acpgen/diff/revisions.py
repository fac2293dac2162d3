"""The two sides of a comparison: what the words of a command line stand for."""

from __future__ import annotations

import io
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from acpgen import paths
from acpgen.build.surface import understand
from acpgen.diagnostics import InputError, Problem, relabelled
from acpgen.inputs.download import is_address
from acpgen.inputs.fetch import fetch
from acpgen.inputs.sources import SURFACES
from acpgen.ir.surface import Surface


def read_revisions(
    old: str, new: str, surface: str | None
) -> tuple[dict[str, Surface], dict[str, Surface]]:
    """The surfaces of two revisions of the schema; see `read_revision`.

    Args:
        surface: the one that is wanted. None for the one that either of both names, or else for
            all there are.

    Raises:
        InputError: as `read_revision` does, or if both name a surface, and a third is wanted.
    """
    if surface and _is_surface(old) and _is_surface(new):
        message = f"is one too many: {old} and {new} are surfaces already; leave it out"
        raise InputError([Problem("--surface", "", "usage", message)])
    wanted = surface or next((each for each in (old, new) if _is_surface(each)), None)
    return read_revision(old, wanted), read_revision(new, wanted)


def read_revision(name: str, surface: str | None) -> dict[str, Surface]:
    """The surfaces of a revision of the schema, by name.

    Args:
        name: a surface of the vendored schema; `npm:PACKAGE@VERSION`; the path of a folder or
            file; or a git revision of this project, whose `schema` is meant.
        surface: the one that is wanted; a file needs it. None for all there are.

    Raises:
        InputError: there is no such thing, or it is no schema that can be used.
    """
    wanted = [surface] if surface else []
    if _is_surface(name):
        found, _ = understand(paths.SCHEMA, [name])
    else:
        with _place(name) as place:
            found, _ = understand(place, wanted)
    return {each.name: each for each in found}


def _is_surface(name: str) -> bool:
    return name in SURFACES and not Path(name).exists()


def label_of(name: str, surfaces: Mapping[str, Surface]) -> str:
    """What to call a revision: what its schemas were made from, if they say so and agree."""
    if not Path(name).is_dir():
        return name
    labels = {surface.origin.label for surface in surfaces.values()}
    return labels.pop() if len(labels) == 1 else Path(name).resolve().name


def can_be_read(name: str) -> bool:
    """Whether what a revision is called leads to it."""
    return name.startswith("npm:") or is_address(name) or Path(name).exists()


@contextmanager
def _place(name: str) -> Iterator[Path]:
    if can_be_read(name):
        with fetch(name) as fetched:
            yield fetched.place
    else:
        with tempfile.TemporaryDirectory() as scratch:
            _check_out(name, Path(scratch))
            with relabelled(Path(scratch), name):
                yield Path(scratch)


def _check_out(revision: str, folder: Path) -> None:
    """Write the schema of a git revision of this project to a folder."""
    command = [
        "git",
        "-C",
        str(paths.ROOT),
        "archive",
        "--format=tar",
        "--end-of-options",
        revision,
    ]
    try:
        run = subprocess.run([*command, "schema"], capture_output=True, check=False)
    except OSError:
        run = None
    if run is None or run.returncode != 0 or not paths.IN_CHECKOUT:
        message = (
            "is no surface, path or git revision of this project; give one of them, or"
            " npm:PACKAGE@VERSION"
        )
        raise InputError([Problem(revision, "", "missing-file", message)])
    with tarfile.open(fileobj=io.BytesIO(run.stdout)) as archive:
        for member in archive.getmembers():
            content = archive.extractfile(member) if member.isfile() else None
            if content is not None and member.name.endswith(".json"):
                path = folder / Path(member.name).relative_to("schema")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content.read())
