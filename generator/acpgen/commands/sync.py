"""Vendoring schemas: their structure alone, and the record of where they came from."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acpgen.commands import files as output
from acpgen.diagnostics import InputError, Problem, display_path, relabelled
from acpgen.inputs.document import JsonObject, looks_like_acp, read_json
from acpgen.inputs.fetch import Fetched, fetch
from acpgen.inputs.sources import RECORD, SURFACES, locate_schemas, record_of


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be done to a folder.

    Attributes:
        files: what it is to hold, by path; what else is there stays.
        obsolete: schemas that it is not to hold any more.
    """

    files: dict[str, bytes]
    obsolete: tuple[str, ...]


def plan(source: str, surfaces: list[str], folder: Path) -> Plan:
    """Say what vendoring a source comes to; nothing is written.

    Args:
        source: as `fetch` takes it.
        surfaces: the surfaces wanted, beside those that are vendored already; empty for all there
            are in the source, and no others.
        folder: what it is vendored in.

    Raises:
        InputError: as `fetch` and `vendor` do; or the record of what is there cannot be used.
    """
    with fetch(source) as fetched:
        files = vendor(fetched, surfaces)
    if surfaces:
        entries = {**record_of(folder), **json.loads(files[RECORD])["files"]}
        return Plan({**files, RECORD: _record(entries)}, ())
    gone = (path for path in SURFACES.values() if path not in files and (folder / path).is_file())
    return Plan(files, tuple(gone))


def carry_out(planned: Plan, folder: Path) -> list[str]:
    """Do what is planned; the paths of the files that were written."""
    written = output.write(folder, planned.files, whole=False)
    for path in planned.obsolete:
        (folder / path).unlink(missing_ok=True)
    return written


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


def vendor(fetched: Fetched, surfaces: list[str]) -> dict[str, bytes]:
    """The files to put into `schema/`: the schemas' structure, and the record of their source.

    Args:
        surfaces: the surfaces wanted; empty for all there are.

    Raises:
        InputError: the source holds no schema, or one that is not JSON or not of ACP.
    """
    files: dict[str, bytes] = {}
    entries: JsonObject = {}
    for source in locate_schemas(fetched.place, surfaces):
        schema, original = read_json(source.path)
        if not looks_like_acp(schema):
            message = "has no $defs with an x-method; give an ACP schema"
            raise InputError([Problem(display_path(source.path), "", "not-acp", message)])
        name = SURFACES[source.surface]
        text = json.dumps(without_descriptions(schema), indent=2, ensure_ascii=False) + "\n"
        files[name] = text.encode("utf-8")
        is_file = source.path == fetched.place
        path = source.path.name if is_file else source.path.relative_to(fetched.place).as_posix()
        entries[name] = {
            "source": fetched.source,
            "version": fetched.version,
            "integrity": fetched.integrity,
            "path": path,
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
        files = vendor(fetched, surfaces)
        for path, content in files.items():
            target = Path(scratch) / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        copy = Path(scratch)
        # A file that was named itself has another name in the copy.
        is_file = fetched.place.is_file()
        only = next(path for path in files if path != RECORD) if is_file else ""
        with relabelled(copy, source), relabelled(copy / only, source):
            yield copy


def _record(entries: JsonObject) -> bytes:
    return (json.dumps({"files": dict(sorted(entries.items()))}, indent=2) + "\n").encode("utf-8")
