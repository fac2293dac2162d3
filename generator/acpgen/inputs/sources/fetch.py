"""Make a schema available on disk by the name of its source.

A source is the path of a folder or file, `npm:PACKAGE@VERSION`, an http or https address, or a git
revision of this project, which stands for its `schema` folder.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from acpgen.common.problems import InputError, Problem, relabelled
from acpgen.inputs.sources import npm
from acpgen.inputs.sources.files import (
    LEGACY_V1,
    schema_file,
    surface_order,
    vendored_surfaces,
    versioned,
)
from acpgen.inputs.sources.git import check_out
from acpgen.inputs.sources.http import download, is_address


@dataclass(frozen=True, slots=True)
class Fetched:
    """A source on disk.

    Attributes:
        path: its folder or file.
        source: its name without the version, such as `npm:@agentclientprotocol/sdk`.
        version: its version, if it has one.
        integrity: the registry's digest of the tarball, for an npm package.
        copy_of: what the user calls it, if `path` is a temporary copy.
    """

    path: Path
    source: str
    version: str | None = None
    integrity: str | None = None
    copy_of: str | None = None

    @property
    def label(self) -> str:
        """Its name with the version."""
        return versioned(self.source, self.version)

    def renamed(self, problems: Iterable[Problem]) -> list[Problem]:
        """Problems with the user's name for it, not that of a temporary copy."""
        name = self.copy_of
        return [
            problem if name is None else problem.relabelled(self.path, name) for problem in problems
        ]


@contextmanager
def fetch(source: str) -> Iterator[Fetched]:
    """Make a source available on disk while the context is open.

    Problems raised inside the context name the source, not a temporary copy.

    Args:
        source: a path; `npm:PACKAGE@VERSION`; the address of a file, or of a folder if it ends
            with a slash; or a git revision. What exists as a path is one.

    Raises:
        InputError: npm is missing or fails, the address cannot be fetched, or nothing has this
            name.
    """
    if not source:  # Path("") is the working directory
        message = "does not exist; give a path, npm:PACKAGE@VERSION, an address or a git revision"
        raise InputError([Problem("''", "", "missing-file", message)])
    if not _is_remote(source) and Path(source).exists():
        path = Path(source)
        yield Fetched(path, path.resolve().name or str(path))  # Path(".") has no name of its own
        return
    with tempfile.TemporaryDirectory() as scratch:
        fetched = _fetch_copy(source, Path(scratch))
        with relabelled(fetched.path, source):
            yield fetched


def is_revision(source: str) -> bool:
    """Whether a source can only be a git revision."""
    return not _is_remote(source) and not Path(source).exists()


def _is_remote(source: str) -> bool:
    return source.startswith(npm.PREFIX) or is_address(source)


def _fetch_copy(source: str, scratch: Path) -> Fetched:
    if source.startswith(npm.PREFIX):
        package = npm.download(source, scratch)
        name = f"{npm.PREFIX}{package.name}"
        return Fetched(package.folder, name, package.version, package.integrity, copy_of=source)
    if is_address(source):
        path = download(source, scratch, _files_below_address())
        return Fetched(path, source, copy_of=source)
    return Fetched(scratch, f"git:{check_out(source, scratch)}", copy_of=source)


def _files_below_address() -> tuple[str, ...]:
    """Return the files to look for below an address, which cannot be listed.

    These are the vendored surfaces and the next version.
    """
    surfaces = vendored_surfaces()
    newest = max((surface_order(name)[0] for name in surfaces), default=0)
    following = [f"v{newest + 1}", f"v{newest + 1}_unstable"]
    return (*map(schema_file, [*surfaces, *following]), LEGACY_V1)
