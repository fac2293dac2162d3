"""Read the revisions of the schema that the arguments of `acpgen diff` name."""

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
    """Read the surfaces of two revisions, each as `read_revision` does.

    Args:
        surface: the surface to read. None reads the one that `old` or `new` names, or else all.

    Raises:
        InputError: `read_revision` raises it, or both names are surfaces and `surface` is given.
    """
    if surface and _is_surface(old) and _is_surface(new):
        message = f"does not apply: {old} and {new} are surfaces themselves; leave it out"
        raise InputError([Problem("--surface", "", "usage", message)])
    names = [surface] if surface else [each for each in (old, new) if _is_surface(each)][:1]
    return read_revision(old, names), read_revision(new, names)


def read_revision(name: str, surfaces: list[str]) -> dict[str, Surface]:
    """Read the surfaces of one revision, by name.

    Args:
        name: a surface of the vendored schema, `npm:PACKAGE@VERSION`, a web address, the path of a
            folder or file, or a git revision of this project, which stands for its `schema`.
        surfaces: the surfaces to read, one for a single file; empty for all.

    Raises:
        InputError: nothing has this name, or it is not a usable schema.
    """
    if _is_surface(name):
        found, _ = understand(paths.SCHEMA, [name])
    else:
        with _files_of(name) as path:
            found, _ = understand(path, surfaces)
    return {each.name: each for each in found}


def _is_surface(name: str) -> bool:
    return name in SURFACES and not Path(name).exists()


def label_of(name: str, surfaces: Mapping[str, Surface]) -> str:
    """The name of a revision in reports; for a folder, the origin that all its schemas state."""
    if not Path(name).is_dir():
        return name
    labels = {surface.origin.label for surface in surfaces.values()}
    return labels.pop() if len(labels) == 1 else Path(name).resolve().name


def can_be_read(name: str) -> bool:
    """Whether a name leads to files and is not a git revision or a surface."""
    return name.startswith("npm:") or is_address(name) or Path(name).exists()


@contextmanager
def _files_of(name: str) -> Iterator[Path]:
    """The folder or file of a revision, kept until the context is left."""
    if can_be_read(name):
        with fetch(name) as fetched:
            yield fetched.path
    else:
        with tempfile.TemporaryDirectory() as scratch:
            _check_out(name, Path(scratch))
            with relabelled(Path(scratch), name):
                yield Path(scratch)


def _check_out(revision: str, folder: Path) -> None:
    """Write the schema at a git revision of this project to a folder."""
    archive = ("archive", "--format=tar", "--end-of-options", revision, "schema")
    command = ["git", "-C", str(paths.ROOT), *archive]
    try:
        run = subprocess.run(command, capture_output=True, check=False)
    except OSError:
        run = None
    if run is None or run.returncode != 0 or not paths.IN_CHECKOUT:
        message = (
            "is not a surface, path or git revision of this project; give one of these, or"
            " npm:PACKAGE@VERSION"
        )
        raise InputError([Problem(revision, "", "missing-file", message)])
    with tarfile.open(fileobj=io.BytesIO(run.stdout)) as tar:
        for member in tar.getmembers():
            content = tar.extractfile(member) if member.isfile() else None
            if content is not None and member.name.endswith(".json"):
                path = folder / Path(member.name).relative_to("schema")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content.read())
