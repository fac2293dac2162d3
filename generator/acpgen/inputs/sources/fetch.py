"""Fetches schemas so that they are available on disk.

A source is the path of a folder or file, `npm:PACKAGE@VERSION`, an http or https URL, or a git
revision of this project. Only the `schema` folder of a git revision is used.
"""

from __future__ import annotations

import io
import subprocess
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from acpgen.common import paths
from acpgen.common.problems import InputError, Problem, relabelled
from acpgen.inputs.sources import npm_download
from acpgen.inputs.sources.files import (
    LEGACY_V1,
    is_schema_file,
    schema_file,
    surface_order,
    vendored_surfaces,
    versioned,
)
from acpgen.inputs.sources.http_download import download, is_address


@dataclass(frozen=True, slots=True)
class Fetched:
    """A source on disk."""

    path: Path
    source: str  # the name without the version, such as `npm:@agentclientprotocol/sdk`
    version: str | None = None
    integrity: str | None = None  # for an npm package, the registry's digest of the tarball
    copy_of: str | None = None  # the source that the user passed, if `path` is a temporary copy

    @property
    def label(self) -> str:
        """The name of the source with its version."""
        return versioned(self.source, self.version)

    def renamed(self, problems: Iterable[Problem]) -> list[Problem]:
        """Return problems, replacing the path of a temporary copy with the source's name."""
        if self.copy_of is None:
            return list(problems)
        return [problem.relabelled(self.path, self.copy_of) for problem in problems]


@contextmanager
def fetch(source: str) -> Iterator[Fetched]:
    """Make a source available on disk while the context is open.

    Problems raised inside the context refer to the source instead of a temporary copy. A source
    that is an existing path is always treated as a path. A URL that ends with a slash is treated as
    a folder.

    Raises:
        InputError: If npm is missing or fails, if the URL cannot be fetched, or if the source does
            not exist.
    """
    if not source:  # Path("") is the working directory
        message = "does not exist; pass a path, npm:PACKAGE@VERSION, a URL or a git revision"
        raise InputError([Problem("''", "", "missing-file", message)])
    if not _is_remote(source) and Path(source).exists():
        path = Path(source)
        yield Fetched(path, path.resolve().name or str(path))  # Path(".") has an empty name
        return
    with tempfile.TemporaryDirectory() as scratch:
        fetched = _fetch_copy(source, Path(scratch))
        with relabelled(fetched.path, source):
            yield fetched


def is_revision(source: str) -> bool:
    """Return whether a source can only be a git revision."""
    return not _is_remote(source) and not Path(source).exists()


def _is_remote(source: str) -> bool:
    return source.startswith(npm_download.PREFIX) or is_address(source)


def _fetch_copy(source: str, scratch: Path) -> Fetched:
    if source.startswith(npm_download.PREFIX):
        package = npm_download.download(source, scratch)
        name = f"{npm_download.PREFIX}{package.name}"
        return Fetched(package.folder, name, package.version, package.integrity, copy_of=source)
    if is_address(source):
        # The files at a URL cannot be listed, so try the file names of the vendored surfaces and of
        # the next version.
        surfaces = vendored_surfaces()
        newest = max((surface_order(name)[0] for name in surfaces), default=0)
        surfaces += [f"v{newest + 1}", f"v{newest + 1}_unstable"]
        path = download(source, scratch, (*map(schema_file, surfaces), LEGACY_V1))
        return Fetched(path, source, copy_of=source)
    return Fetched(scratch, f"git:{check_out(source, scratch)}", copy_of=source)


def check_out(revision: str, folder: Path) -> str:
    """Write the schema files from a git revision of this project to a folder.

    Return the abbreviated commit hash, or `revision` if the revision is a tree.
    """
    archive = ("archive", "--format=tar", "--end-of-options", revision, "schema")
    command = ["git", "-C", str(paths.ROOT), *archive]
    try:
        run = subprocess.run(command, capture_output=True, check=False)
    except OSError:
        run = None
    if run is None or run.returncode != 0 or not paths.IN_CHECKOUT:
        message = (
            "is neither a path nor a git revision of this project; pass an existing path, a git"
            " revision, a URL or npm:PACKAGE@VERSION"
        )
        raise InputError([Problem(revision, "", "missing-file", message)])
    with tarfile.open(fileobj=io.BytesIO(run.stdout)) as tar:
        commit = tar.pax_headers.get("comment", revision)
        for member in tar.getmembers():
            name = member.name.removeprefix("schema/")
            content = tar.extractfile(member) if is_schema_file(name) else None
            if content is not None:
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content.read())
    return commit[:12]
