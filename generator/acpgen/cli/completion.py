"""What shells complete: names of definitions and methods, surfaces and references to schemas."""

from __future__ import annotations

import json

from acpgen.common import paths
from acpgen.common.problems import InputError
from acpgen.inputs.sources.files import find_surfaces, read_record, vendored_surfaces, versioned


def complete_name(incomplete: str) -> list[str]:
    """The definitions and methods of the vendored schema that begin with a text."""
    names: set[str] = set()
    for path in find_surfaces(paths.SCHEMA).values():
        definitions = json.loads(path.read_bytes()).get("$defs", {})
        names |= definitions.keys()
        names |= {
            definition["x-method"]
            for definition in definitions.values()
            if "x-method" in definition
        }
    return sorted(name for name in names if name.startswith(incomplete))


def complete_source(incomplete: str) -> list[str]:
    """The source and version of the vendored schema, and its source alone, to give another."""
    try:
        entries = read_record(paths.SCHEMA).values()
    except InputError:
        return []
    sources = {f"{entry['source']}@" for entry in entries}
    sources |= {versioned(entry["source"], entry["version"]) for entry in entries}
    return sorted(source for source in sources if source.startswith(incomplete))


def complete_surface(incomplete: str) -> list[str]:
    """Return the surfaces of the vendored schema that begin with a text."""
    return [name for name in vendored_surfaces() if name.startswith(incomplete)]


def complete_revision(incomplete: str) -> list[str]:
    """The surfaces of the vendored schema, and what `complete_source` gives."""
    return [*complete_surface(incomplete), *complete_source(incomplete)]
