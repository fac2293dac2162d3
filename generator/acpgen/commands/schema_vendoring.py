"""Schema vendoring: retains the structure, removes descriptions and records the sources."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from acpgen.commands import disk, interruption
from acpgen.commands.changelog import note_move
from acpgen.common import paths
from acpgen.common.display import display_path
from acpgen.common.problems import InputError, Problem, relabelled
from acpgen.inputs.sources.fetch import Fetched, fetch
from acpgen.inputs.sources.files import (
    PATCHED_FROM,
    RECORD,
    find_surfaces,
    locate_schemas,
    read_record,
    schema_file,
    schema_folder,
)
from acpgen.inputs.sources.json_file import JsonObject, read_json
from acpgen.schema.document import find_invalid, looks_like_acp


@dataclass(frozen=True, slots=True)
class SyncResult:
    """The result of `sync`: paths in the schema folder, and notes about manual decisions."""

    files: list[str]
    written: list[str]
    removed: list[str]
    undecided: list[Problem]


@dataclass(frozen=True, slots=True)
class Stripped:
    """A schema file without descriptions. `path` is the original file's path in the source."""

    surface: str
    path: str
    original_sha256: str
    content: bytes


def sync(source: str, surfaces: list[str], changelog: Path | None = None) -> SyncResult:
    """Vendor a schema into the checkout and record the changes in a changelog if one is given.

    If surfaces are given, only their schemas are changed. Otherwise, all surfaces in the source are
    vendored, and all other surfaces are removed.

    Raises:
        InputError: If the source, the record of the vendored schemas or the changelog cannot be
            used. Nothing is written.
    """
    disk.require_checkout("clone the project to vendor another schema")
    folder = paths.SCHEMA
    with fetch(source) as fetched:
        wanted = stripped_files(fetched, surfaces)
    removed: list[str] = []
    if surfaces:
        entries = {**read_record(folder), **json.loads(wanted[RECORD])["files"]}
        wanted[RECORD] = _record(entries)
    else:
        present = map(schema_file, find_surfaces(folder))
        removed = [path for path in present if path not in wanted]
    move = note_move(changelog, source, surfaces) if changelog is not None else None
    with interruption.writing():
        if changelog is not None and move is not None:
            disk.write_atomically(changelog, move.text.encode("utf-8"))
        written = disk.write(folder, wanted, whole=False)
        for path in removed:
            (folder / path).unlink(missing_ok=True)
    return SyncResult(sorted(wanted), written, removed, move.undecided if move else [])


def _strip(fetched: Fetched, surfaces: list[str]) -> list[Stripped]:
    """Return schemas without descriptions. If no surfaces are given, return all schemas."""
    stripped: list[Stripped] = []
    problems: list[Problem] = []
    for source in locate_schemas(fetched.path, surfaces):
        schema, original = read_json(source.path)
        if not looks_like_acp(schema):
            message = "has no $defs; pass an ACP schema"
            raise InputError([Problem(display_path(source.path), "", "not-acp", message)])
        plain = without_descriptions(schema)
        problems += find_invalid(display_path(source.path), plain)
        content = (json.dumps(plain, indent=2, ensure_ascii=False) + "\n").encode("utf-8")
        is_file = source.path == fetched.path
        path = source.path.name if is_file else source.path.relative_to(fetched.path).as_posix()
        stripped.append(Stripped(source.surface, path, original, content))
    if problems:
        raise InputError(problems)
    return stripped


def stripped_files(fetched: Fetched, surfaces: list[str]) -> dict[str, bytes]:
    """Return the files to vendor, by path: the stripped schemas and the record of their origins."""
    stripped = _strip(fetched, surfaces)
    path = fetched.path
    folder = schema_folder(path) if path.is_dir() else path.parent.parent
    recorded = {
        name: entry
        for name, entry in read_record(folder).items()
        if path.is_dir() or path == folder / name
    }
    files: dict[str, bytes] = {}
    entries: JsonObject = {}
    for schema in stripped:
        name = schema_file(schema.surface)
        files[name] = schema.content
        entries[name] = _entry(schema, fetched, recorded.get(name))
    return {**files, RECORD: _record(entries)}


def _entry(schema: Stripped, fetched: Fetched, recorded: JsonObject | None) -> JsonObject:
    """Return a schema's entry in the record of origins.

    If the source has its own record, as the vendored schema's folder does, the recorded origin is
    retained. If the schema was edited after it was recorded, the entry marks it as patched.
    """
    digest = hashlib.sha256(schema.content).hexdigest()
    if recorded is None:
        return {
            "source": fetched.source,
            "version": fetched.version,
            "integrity": fetched.integrity,
            "path": schema.path,
            "original_sha256": schema.original_sha256,
            "vendored_sha256": digest,
        }
    base = recorded.get(PATCHED_FROM, recorded["vendored_sha256"])
    entry = {**recorded, "vendored_sha256": digest, PATCHED_FROM: base}
    if digest == base:
        del entry[PATCHED_FROM]
    return entry


@contextmanager
def stripped_copy(source: str, surfaces: list[str]) -> Iterator[Fetched]:
    """Make a temporary copy of a source, without descriptions, as `sync` would vendor it.

    Problems raised inside the context refer to the source, not to the temporary copy.
    """
    with fetch(source) as fetched, tempfile.TemporaryDirectory() as scratch:
        for schema in _strip(fetched, surfaces):
            target = Path(scratch) / schema.path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(schema.content)
        path = Path(scratch) / fetched.path.name if fetched.path.is_file() else Path(scratch)
        with relabelled(path, source):
            yield replace(fetched, path=path, copy_of=source)


def without_descriptions(schema: Any) -> Any:
    """Return a schema without `description` annotations, retaining fields with that name."""
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


def _record(entries: JsonObject) -> bytes:
    return (json.dumps({"files": dict(sorted(entries.items()))}, indent=2) + "\n").encode("utf-8")
