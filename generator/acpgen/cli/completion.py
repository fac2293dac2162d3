"""What shells complete: names of definitions and methods, surfaces and references to schemas."""

from __future__ import annotations

import json

from acpgen.common import paths
from acpgen.common.problems import InputError
from acpgen.inputs.sources.files import SURFACES, read_record, versioned


def complete_name(incomplete: str) -> list[str]:
    """The definitions and methods of the vendored schema that begin with a text."""
    found: set[str] = set()
    for path in (paths.SCHEMA / each for each in SURFACES.values()):
        if path.is_file():
            definitions = json.loads(path.read_bytes()).get("$defs", {})
            found |= definitions.keys()
            found |= {each["x-method"] for each in definitions.values() if "x-method" in each}
    return sorted(each for each in found if each.startswith(incomplete))


def complete_source(incomplete: str) -> list[str]:
    """The source and version of the vendored schema, and its source alone, to give another."""
    try:
        entries = read_record(paths.SCHEMA).values()
    except InputError:
        return []
    found = {f"{each['source']}@" for each in entries}
    found |= {versioned(each["source"], each["version"]) for each in entries}
    return sorted(each for each in found if each.startswith(incomplete))


def complete_revision(incomplete: str) -> list[str]:
    """The surfaces of the vendored schema, and what `complete_source` gives."""
    surfaces = [each for each in SURFACES if each.startswith(incomplete)]
    return [*surfaces, *complete_source(incomplete)]
