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

# --- at hand --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Fetched:
    """A source at hand.

    Attributes:
        place: its folder or file.
        source: what to call it, such as `npm:@agentclientprotocol/sdk`.
        version: its version, if it has one.
        integrity: the digest the registry gives for the tarball, if it came as one.
    """

    place: Path
    source: str
    version: str | None = None
    integrity: str | None = None


@contextmanager
def fetch(source: str) -> Iterator[Fetched]:
    """Make a source available on disk for a while.

    Args:
        source: `npm:PACKAGE@VERSION`; an http or https address of a file, or of a folder if it ends
            with a slash; or the path of a folder or file.

    Raises:
        InputError: npm is missing or fails, the address cannot be fetched, or the path does not
            exist.
    """
    if is_address(source):
        with tempfile.TemporaryDirectory() as scratch:
            paths = (*SURFACES.values(), LEGACY_V1)
            fetched = Fetched(download(source, Path(scratch), paths), source)
            with relabelled(fetched.place, source):
                yield fetched
        return
    if not source.startswith("npm:"):
        place = Path(source)
        if not source or not place.exists():  # no words are a path, too: of the working directory
            message = "does not exist; give npm:PACKAGE@VERSION, an address or a path"
            raise InputError([Problem(source or "''", "", "missing-file", message)])
        yield Fetched(place, place.resolve().name or str(place))  # `.` has a name, too
        return
    with tempfile.TemporaryDirectory() as scratch:
        fetched = _npm_pack(source, Path(scratch))
        with relabelled(fetched.place, source):
            yield fetched


def _npm_pack(source: str, scratch: Path) -> Fetched:
    def failed(reason: str) -> InputError:
        return InputError([Problem(source, "", "fetch-failed", reason)])

    npm = shutil.which("npm")
    if npm is None:
        raise failed("needs the npm command; install Node.js, or sync from a path")
    specifier = source.removeprefix("npm:")
    command = [npm, "pack", "--json", "--ignore-scripts", "--", specifier]
    run = subprocess.run(command, cwd=scratch, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        lines = [line for line in run.stderr.splitlines() if line.startswith("npm error")]
        reason = "; ".join(line.removeprefix("npm error").strip() for line in lines[:2])
        raise failed(f"npm pack failed ({reason or run.returncode}); check the name and version")
    packed = json.loads(run.stdout)
    entry = (packed if isinstance(packed, list) else list(packed.values()))[0]
    with tarfile.open(scratch / Path(entry["filename"]).name) as tarball:
        for member in tarball.getmembers():
            if member.isfile() and member.name.startswith("package/schema/"):
                target = scratch / Path(member.name)
                if ".." in target.parts:
                    continue
                content = tarball.extractfile(member)
                assert content is not None
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content.read())
    name, version = entry["name"], entry["version"]
    return Fetched(scratch / "package", f"npm:{name}", version, entry["integrity"])
