"""Make a source available on disk: an npm package, an address, a folder or a file."""

from __future__ import annotations

import json
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from acpgen.diagnostics import InputError, Problem, relabelled
from acpgen.inputs.download import download, is_address
from acpgen.inputs.sources import LEGACY_V1, SURFACES


@dataclass(frozen=True, slots=True)
class Fetched:
    """A source on disk.

    Attributes:
        path: its folder or file.
        source: its name without the version, such as `npm:@agentclientprotocol/sdk`.
        version: its version, if it has one.
        integrity: the registry's digest of the tarball, for an npm package.
    """

    path: Path
    source: str
    version: str | None = None
    integrity: str | None = None


@contextmanager
def fetch(source: str) -> Iterator[Fetched]:
    """Make a source available on disk while the context is open.

    Problems raised inside the context name the source, not the temporary folder.

    Args:
        source: `npm:PACKAGE@VERSION`; the http or https address of a file, or of a folder if it
            ends with a slash; or the path of a folder or file.

    Raises:
        InputError: npm is missing or fails, the address cannot be fetched, or the path does not
            exist.
    """
    if source.startswith("npm:") or is_address(source):
        with tempfile.TemporaryDirectory() as scratch:
            fetched = _fetch_remote(source, Path(scratch))
            with relabelled(fetched.path, source):
                yield fetched
        return
    path = Path(source)
    if not source or not path.exists():  # Path("") is the working directory
        message = "does not exist; give npm:PACKAGE@VERSION, an address or a path"
        raise InputError([Problem(source or "''", "", "missing-file", message)])
    yield Fetched(path, path.resolve().name or str(path))  # Path(".") has no name of its own


def _fetch_remote(source: str, scratch: Path) -> Fetched:
    if is_address(source):
        return Fetched(download(source, scratch, (*SURFACES.values(), LEGACY_V1)), source)
    return _npm_pack(source, scratch)


def _npm_pack(source: str, scratch: Path) -> Fetched:
    """Download an npm package and unpack its schemas."""

    def failed(message: str) -> InputError:
        return InputError([Problem(source, "", "fetch-failed", message)])

    npm = shutil.which("npm")
    if npm is None:
        raise failed("needs the npm command; install Node.js, or give a path")
    specifier = source.removeprefix("npm:")
    command = [npm, "pack", "--json", "--ignore-scripts", "--", specifier]
    run = subprocess.run(command, cwd=scratch, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        lines = [line for line in run.stderr.splitlines() if line.startswith("npm error")]
        reason = "; ".join(line.removeprefix("npm error").strip() for line in lines[:2])
        raise failed(f"npm pack failed ({reason or run.returncode}); check the name and version")
    packed = json.loads(run.stdout)  # a list, or an object by package name, depending on npm
    entry = (packed if isinstance(packed, list) else list(packed.values()))[0]
    _unpack_schemas(scratch / Path(entry["filename"]).name, scratch)
    name, version = entry["name"], entry["version"]
    return Fetched(scratch / "package", f"npm:{name}", version, entry["integrity"])


def _unpack_schemas(tarball: Path, folder: Path) -> None:
    """Unpack the files below `package/schema` of a tarball."""
    with tarfile.open(tarball) as archive:
        for member in archive.getmembers():
            target = folder / member.name
            is_schema = member.name.startswith("package/schema/") and ".." not in target.parts
            content = archive.extractfile(member) if member.isfile() and is_schema else None
            if content is not None:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content.read())
