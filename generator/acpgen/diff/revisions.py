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
    wanted = surface or next((each for each in (old, new) if _is_surface(each)), None)
    return read_revision(old, wanted), read_revision(new, wanted)


def read_revision(name: str, surface: str | None) -> dict[str, Surface]:
    """Read the surfaces of one revision, by name.

    Args:
        name: a surface of the vendored schema, `npm:PACKAGE@VERSION`, a web address, the path of a
            folder or file, or a git revision of this project, which stands for its `schema`.
        surface: the surface to read, required for a single file; None reads all.

    Raises:
        InputError: nothing has this name, or it is not a usable schema.
    """
    wanted = [surface] if surface else []
    if _is_surface(name):
        found, _ = understand(paths.SCHEMA, [name])
    else:
        with _files_of(name) as path:
            found, _ = understand(path, wanted)
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
    """Whether a name leads to files, rather than being a git revision or a surface."""
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
            "is not a surface, path or git revision of this project; give one of these, or"
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
