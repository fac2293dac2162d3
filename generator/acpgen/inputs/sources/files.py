"""Schema files in a folder, and the record of vendored files' origins."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from acpgen.common import paths
from acpgen.common.display import display_path
from acpgen.common.problems import InputError, Problem
from acpgen.inputs.sources.json_file import JsonObject, read_json
from acpgen.ir.model import Origin

# The name of a surface: a protocol version, optionally followed by `_unstable`.
_SURFACE = re.compile("(v[1-9][0-9]*)(_unstable)?")
# The schema file of a surface, in the layout of the npm package.
_SCHEMA_FILE = re.compile(r"(v[1-9][0-9]*)/schema(\.unstable)?\.json")
# Before 2.0.0, the npm package contained only this file, the unstable schema of protocol 1.
LEGACY_V1 = "schema.json"
RECORD = "sources.json"
# The key under which the record of a patched file stores the digest of the original file.
PATCHED_FROM = "patched_from"


@dataclass(frozen=True, slots=True)
class Source:
    """A schema file and the surface that it describes."""

    surface: str
    path: Path
    origin: Origin | None = None  # None if the file itself is the origin


def is_surface(name: str) -> bool:
    """Return whether a name is valid for a surface, such as `v2_unstable`."""
    return _SURFACE.fullmatch(name) is not None


def surface_order(name: str) -> tuple[int, str]:
    """Return a sort key that orders surfaces by version, with the stable surface first."""
    version, _, stability = name.partition("_")
    return int(version.removeprefix("v")), stability


def schema_file(surface: str) -> str:
    """Return the path of a surface's schema in the layout of the npm package."""
    version, _, stability = surface.partition("_")
    return f"{version}/schema.{stability}.json" if stability else f"{version}/schema.json"


def is_schema_file(path: str) -> bool:
    """Return whether a path is the path of a schema file in any layout of the npm package."""
    return path == LEGACY_V1 or _SCHEMA_FILE.fullmatch(path) is not None


def find_surfaces(folder: Path) -> dict[str, Path]:
    """Return the schema file of each surface in a folder, in the order of `surface_order`.

    Files and folders with other names are ignored.
    """
    files = {
        f"{version}_unstable" if unstable else version: file
        for file in folder.glob("v*/schema*.json")
        for version, unstable in _SCHEMA_FILE.findall(file.relative_to(folder).as_posix())
    }
    return {name: files[name] for name in sorted(files, key=surface_order)}


def vendored_surfaces() -> list[str]:
    """Return the surfaces of the vendored schema, in the order of `surface_order`."""
    return list(find_surfaces(paths.SCHEMA))


def newest_surface() -> str:
    """Return the newest stable surface of the vendored schema.

    Raises:
        InputError: If no schema is vendored.
    """
    surfaces = [source.surface for source in locate_schemas(paths.SCHEMA, [])]
    return max(surfaces, key=lambda name: ("_" not in name, surface_order(name)))


def locate_schemas(path: Path, surfaces: list[str], label: str | None = None) -> list[Source]:
    """Return the schema files in a folder, or a single file.

    Args:
        path: a folder in one of the layouts of the npm package (or the unpacked package itself),
            or a file.
        surfaces: the surfaces to locate. If there are none, all surfaces are located. If `path` is
            a file, exactly one surface is required.
        label: the label of the origin for files without a record, or None if these files are the
            originals.

    Raises:
        InputError: If there is no schema, or no schema for a requested surface.
    """
    if path.is_file():
        if len(surfaces) != 1:
            raise _missing(path, "is one file; specify its surface with --surface")
        return [Source(surfaces[0], path, _origin_of_path(label, path.name))]
    if not path.is_dir():
        raise _missing(path, "does not exist; pass a folder with schemas, or one file")
    folder = schema_folder(path)
    present = find_surfaces(folder)
    if "v1" not in present and "v1_unstable" not in present and (folder / LEGACY_V1).is_file():
        present["v1_unstable"] = folder / LEGACY_V1
    for name in surfaces:
        if name not in present:
            raise _missing(path, f"has no schema for {name}; omit the surface or add the file")
    if not present:
        raise _missing(path, f"has no schemas; expected files such as {schema_file('v2')}")
    recorded = {name: _origin(entry) for name, entry in read_record(folder).items()}
    return [
        Source(
            name,
            file,
            recorded.get(file.relative_to(folder).as_posix())
            or _origin_of_path(label, file.relative_to(path).as_posix()),
        )
        for name, file in sorted(present.items(), key=lambda item: surface_order(item[0]))
        if not surfaces or name in surfaces
    ]


def schema_folder(path: Path) -> Path:
    """Return the folder with the schemas: `schema` in `path` if it exists, otherwise `path`."""
    inner = path / "schema"
    return inner if inner.is_dir() else path


def _origin_of_path(label: str | None, path: str) -> Origin | None:
    return None if label is None else Origin(label, path, "")


def _missing(path: Path, message: str) -> InputError:
    return InputError([Problem(display_path(path), "", "missing-file", message)])


def read_record(folder: Path) -> JsonObject:
    """Return the entries of `sources.json` in a vendored folder, by path.

    The result is empty if the file doesn't exist.

    Raises:
        InputError: If the record cannot be read or is incomplete.
    """
    path = folder / RECORD
    if not path.is_file():
        return {}
    record, _ = read_json(path)
    try:
        entries = record["files"]
        for entry in entries.values():
            _origin(entry)
    except (KeyError, TypeError, AttributeError) as error:
        reason = f"lacks {error}" if isinstance(error, KeyError) else "is not a record of files"
        message = f"{reason}; run `acpgen sync` again, without --surface"
        raise InputError([Problem(display_path(path), "", "invalid-schema", message)]) from error
    return dict(entries)


def _origin(entry: JsonObject) -> Origin:
    label = versioned(entry["source"], entry["version"])
    if PATCHED_FROM in entry:
        label = f"patched {label}"
    return Origin(label, entry["path"], entry["vendored_sha256"])


def versioned(source: str, version: str | None) -> str:
    """Return the label of a source, such as `npm:PACKAGE@2.4.0` for a source with a version."""
    return f"{source}@{version}" if version else source


def schema_digests(folder: Path) -> dict[str, str]:
    """Return the digests of the vendored schemas by surface."""
    sources = locate_schemas(folder, [])
    return {source.surface: source.origin.sha256 for source in sources if source.origin is not None}
