"""Make a schema available on disk by the name of its source.

A source is the path of a folder or file, `npm:PACKAGE@VERSION`, an http or https address, or a git
revision of this project, which stands for its `schema` folder.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from acpgen.diagnostics import InputError, Problem, relabelled
from acpgen.inputs.download import download, is_address
from acpgen.inputs.git import check_out
from acpgen.inputs.sources import LEGACY_V1, SURFACES, versioned

_PACKAGE = "npm:@agentclientprotocol/sdk"
# Codes of npm: no such package or version, and no answer.
_WRONG_NAME = ("E404", "ETARGET", "ENOVERSIONS", "EINVALIDPACKAGENAME", "EINVALIDTAGNAME")
_NO_NETWORK = (
    "ENOTFOUND",
    "EAI_AGAIN",
    "ECONNREFUSED",
    "ECONNRESET",
    "ETIMEDOUT",
    "ENETUNREACH",
    "EHOSTUNREACH",
    "ERR_SOCKET_TIMEOUT",
)


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
        return [each if name is None else each.relabelled(self.path, name) for each in problems]


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
    return source.startswith("npm:") or is_address(source)


def _fetch_copy(source: str, scratch: Path) -> Fetched:
    if source.startswith("npm:"):
        return _npm_pack(source, scratch)
    if is_address(source):
        path = download(source, scratch, (*SURFACES.values(), LEGACY_V1))
        return Fetched(path, source, copy_of=source)
    return Fetched(scratch, f"git:{check_out(source, scratch)}", copy_of=source)


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
        is_named = any(code in reason for code in _WRONG_NAME)
        is_reached = not any(code in run.stderr for code in _NO_NETWORK)
        advice = (
            "check the name and version"
            if is_named
            else (
                "see why with `npm pack`, or give a path"
                if is_reached
                else "check the network and npm's registry, or give a path"
            )
        )
        raise failed(f"npm pack failed ({reason or run.returncode}); {advice}")
    packed = json.loads(run.stdout)  # a list, or an object by package name, depending on npm
    entry = (packed if isinstance(packed, list) else list(packed.values()))[0]
    _unpack_schemas(scratch / Path(entry["filename"]).name, scratch)
    name, version = entry["name"], entry["version"]
    folder = scratch / "package"
    if not folder.is_dir():
        raise failed("has no folder `schema`; name a package with ACP schemas, such as " + _PACKAGE)
    return Fetched(folder, f"npm:{name}", version, entry["integrity"], copy_of=source)


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
