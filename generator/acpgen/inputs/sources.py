"""Where schemas come from: an npm package, an address, a folder or a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from acpgen.diagnostics import InputError, Problem, display_path
from acpgen.inputs.document import JsonObject, read_json
from acpgen.ir.model import Origin

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


def locate_schemas(place: Path, surfaces: list[str]) -> list[Source]:
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
    return InputError([Problem(display_path(place), "", "missing-file", message)])


def _origins(folder: Path) -> dict[str, Origin]:
    """What to say about the files of a vendored folder."""
    return {
        name: Origin(label(entry), entry["path"], entry["vendored_sha256"])
        for name, entry in record_of(folder).items()
    }


def record_of(folder: Path) -> JsonObject:
    """What `sources.json` says about the files of a vendored folder; nothing if it is not there.

    Raises:
        InputError: it does not say what it has to.
    """
    path = folder / RECORD
    if not path.is_file():
        return {}
    record, _ = read_json(path)
    try:
        entries = record["files"]
        for entry in entries.values():
            _ = label(entry), entry["path"], entry["vendored_sha256"]
    except (KeyError, TypeError, AttributeError) as error:
        message = f"lacks {error}; run `acpgen sync` again, without --surface"
        raise InputError([Problem(display_path(path), "", "invalid-schema", message)]) from error
    return dict(entries)


def label(entry: JsonObject) -> str:
    """What a file's record calls its source in one word."""
    version = entry["version"]
    return f"{entry['source']}@{version}" if version else str(entry["source"])


def digests(folder: Path) -> dict[str, str]:
    """By surface, the digest of a vendored schema."""
    return {s.surface: s.origin.sha256 for s in locate_schemas(folder, []) if s.origin is not None}
