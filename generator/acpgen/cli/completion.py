"""Shell completion for definitions, methods, surfaces and schema sources."""

from __future__ import annotations

import json

from acpgen.common import paths
from acpgen.common.problems import InputError
from acpgen.inputs.sources.files import find_surfaces, read_record, vendored_surfaces, versioned


def complete_name(incomplete: str) -> list[str]:
    """Complete the name of a definition or method in the vendored schema."""
    names: set[str] = set()
    for path in find_surfaces(paths.SCHEMA).values():
        definitions = json.loads(path.read_bytes()).get("$defs", {})
        names |= definitions.keys()
        names |= {each["x-method"] for each in definitions.values() if "x-method" in each}
    return sorted(name for name in names if name.startswith(incomplete))


def complete_source(incomplete: str) -> list[str]:
    """Complete the source of the vendored schema. Suggest it with and without the version."""
    try:
        entries = read_record(paths.SCHEMA).values()
    except InputError:
        return []
    sources = {f"{entry['source']}@" for entry in entries}
    sources |= {versioned(entry["source"], entry["version"]) for entry in entries}
    return sorted(source for source in sources if source.startswith(incomplete))


def complete_surface(incomplete: str) -> list[str]:
    """Complete the name of a surface in the vendored schema."""
    return [name for name in vendored_surfaces() if name.startswith(incomplete)]


def complete_revision(incomplete: str) -> list[str]:
    """Complete the name of a surface or the source of the vendored schema."""
    return [*complete_surface(incomplete), *complete_source(incomplete)]
