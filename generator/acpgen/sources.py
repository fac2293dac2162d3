"""Where schemas come from: an npm package, a folder or a file; and what is vendored here."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acpgen.diagnostics import InputError, Problem, shown
from acpgen.download import download, is_address
from acpgen.load import JsonObject, looks_like_acp, read_json
from acpgen.model import Origin

SURFACES = {
    "v1": "v1/schema.json",
    "v1_unstable": "v1/schema.unstable.json",
    "v2": "v2/schema.json",
    "v2_unstable": "v2/schema.unstable.json",
}
# Before 2.0.0 the npm package had one file for protocol 1, and what it held was not settled.
LEGACY_V1 = "schema.json"
RECORD = "sources.json"


@dataclass(frozen=True, slots=True)
class Source:
    """A schema file of some source, and the surface it describes.

    Attributes:
        origin: what headers say about it; None for a file that is not vendored.
    """

    surface: str
    path: Path
    origin: Origin | None = None


def find(place: Path, surfaces: list[str]) -> list[Source]:
    """The schema files of a folder or the one file given.

    Args:
        place: a folder in one of the layouts of the npm package (or the unpacked package itself),
            or a file.
        surfaces: the surfaces wanted; empty for all there are. A file needs exactly one.

    Raises:
        InputError: there is nothing there, or not what was asked for.
    """
    if place.is_file():
        if len(surfaces) != 1:
            raise _missing(place, "is one file; say which one --surface it describes")
        return [Source(surfaces[0], place)]
    if not place.is_dir():
        raise _missing(place, "does not exist; give a folder with schemas, or one file")
    inner = place / "schema"
    folder = inner if inner.is_dir() else place
    found = {name: folder / path for name, path in SURFACES.items() if (folder / path).is_file()}
    if "v1" not in found and "v1_unstable" not in found and (folder / LEGACY_V1).is_file():
        found["v1_unstable"] = folder / LEGACY_V1
    for name in surfaces:
        if name not in found:
            raise _missing(place, f"has no schema for {name}; leave it out or add the file")
    if not found:
        raise _missing(place, f"holds no schema; expected files such as {SURFACES['v2']}")
    origins = _origins(folder)
    return [
        Source(name, path, origins.get(path.relative_to(folder).as_posix()))
        for name, path in sorted(found.items())
        if not surfaces or name in surfaces
    ]


def _missing(place: Path, message: str) -> InputError:
    return InputError([Problem(shown(place), "", "missing-file", message)])


def _origins(folder: Path) -> dict[str, Origin]:
    """What `sources.json` says about the files of a vendored folder."""
    path = folder / RECORD
    if not path.is_file():
        return {}
    record, _ = read_json(path)
    try:
        return {
            name: Origin(label(entry), entry["path"], entry["vendored_sha256"])
            for name, entry in record["files"].items()
        }
    except (KeyError, TypeError, AttributeError) as error:
        message = f"lacks {error}; run `acpgen sync` again"
        raise InputError([Problem(shown(path), "", "invalid-schema", message)]) from error


def label(entry: JsonObject) -> str:
    """What a file's record calls its source in one word."""
    version = entry["version"]
    return f"{entry['source']}@{version}" if version else str(entry["source"])


# --- sync ------------------------------------------------------------------------------------


def without_descriptions(schema: Any) -> Any:
    """A schema without its `description` annotations; a property of that name stays."""
    if isinstance(schema, list):
        return [without_descriptions(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept: JsonObject = {}
    for key, value in schema.items():
        if key in ("properties", "$defs"):
            kept[key] = {name: without_descriptions(item) for name, item in value.items()}
        elif key in ("const", "default", "enum", "examples"):
            kept[key] = value
        elif key != "description":
            kept[key] = without_descriptions(value)
    return kept


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
            yield Fetched(download(source, Path(scratch), paths), source)
        return
    if not source.startswith("npm:"):
        place = Path(source)
        if not source or not place.exists():  # no words are a path, too: of the working directory
            message = "does not exist; give npm:PACKAGE@VERSION, an address or a path"
            raise InputError([Problem(source or "''", "", "missing-file", message)])
        yield Fetched(place, place.name)
        return
    with tempfile.TemporaryDirectory() as scratch:
        yield _npm_pack(source, Path(scratch))


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


def vendor(fetched: Fetched, surfaces: list[str]) -> dict[str, bytes]:
    """The files to put into `schema/`: the schemas' structure, and the record of their source.

    Args:
        surfaces: the surfaces wanted; empty for all there are.

    Raises:
        InputError: the source holds no schema, or one that is not JSON or not of ACP.
    """
    files: dict[str, bytes] = {}
    entries: JsonObject = {}
    for source in find(fetched.place, surfaces):
        schema, original = read_json(source.path)
        if not looks_like_acp(schema):
            message = "has no $defs with an x-method; give an ACP schema"
            raise InputError([Problem(shown(source.path), "", "not-acp", message)])
        name = SURFACES[source.surface]
        text = json.dumps(without_descriptions(schema), indent=2, ensure_ascii=False) + "\n"
        files[name] = text.encode("utf-8")
        is_file = source.path == fetched.place
        inside = source.path.name if is_file else source.path.relative_to(fetched.place).as_posix()
        entries[name] = {
            "source": fetched.source,
            "version": fetched.version,
            "integrity": fetched.integrity,
            "path": inside,
            "original_sha256": original,
            "vendored_sha256": hashlib.sha256(files[name]).hexdigest(),
        }
    files[RECORD] = _record(entries)
    return files


@contextmanager
def vendored(source: str, surfaces: list[str]) -> Iterator[Path]:
    """A source as it would be vendored, in a folder for a while.

    Raises:
        InputError: as `fetch` and `vendor` do.
    """
    with fetch(source) as fetched, tempfile.TemporaryDirectory() as scratch:
        for path, content in vendor(fetched, surfaces).items():
            target = Path(scratch) / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        yield Path(scratch)


def digests(folder: Path) -> dict[str, str]:
    """By surface, the digest of a vendored schema."""
    return {s.surface: s.origin.sha256 for s in find(folder, []) if s.origin is not None}


def merge(folder: Path, files: dict[str, bytes]) -> dict[str, bytes]:
    """Add what is already vendored in a folder to the record of newly vendored files."""
    entries = json.loads(files[RECORD])["files"]
    if (folder / RECORD).is_file():
        earlier, _ = read_json(folder / RECORD)
        entries = {**earlier["files"], **entries}
    return {**files, RECORD: _record(entries)}


def _record(entries: JsonObject) -> bytes:
    return (json.dumps({"files": dict(sorted(entries.items()))}, indent=2) + "\n").encode("utf-8")
