"""Detects schemas of the wrong version, and names that are missing from an unstable schema.

A schema does not specify its version. However, each vendored version contains names of definitions,
fields and methods that are missing from the other versions. If a schema contains more names from
another version than from the specified version, it is most likely a schema of the other version.
Stable and unstable schemas cannot be distinguished this way, because every name in a stable schema
also occurs in an unstable schema.

The unstable schema of a version must contain all names of the stable schema.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any, TypeAlias

from acpgen.common.display import display_path
from acpgen.common.problems import InputError, Problem
from acpgen.inputs.sources.files import Source, locate_schemas
from acpgen.inputs.sources.json_file import read_json

# A definition, a field with its definition, or a method with its side.
Name: TypeAlias = tuple[str, ...]

# The minimum number of matching names. A smaller number of names can match by chance, for example
# in a schema that was written for a test.
ENOUGH = 10
LISTED = 5  # the maximum number of names in a message


def find_other_versions(sources: list[Source], vendored: Path) -> list[Problem]:
    """Return notes about sources that resemble the vendored schemas of a different version."""
    known: defaultdict[str, set[Name]] = defaultdict(set)
    for source in locate_schemas(vendored, []):
        known[_version(source.surface)] |= _names_of(source)
    notes = [_compare(source, known) for source in sources]
    return [note for note in notes if note is not None]


def find_gaps(sources: list[Source]) -> list[Problem]:
    """Return notes about names that are in stable schemas but not in the unstable ones."""
    files = {source.surface: source for source in sources}
    notes: list[Problem] = []
    for surface, stable in files.items():
        unstable = files.get(f"{surface}_unstable")
        if unstable is None:
            continue
        theirs = _names_of(unstable)
        gaps = [
            ".".join(name[1:])
            for name in sorted(_names_of(stable) - theirs)
            if name[0] != "member" or ("definition", name[1]) in theirs
        ]
        if gaps:
            listed = ", ".join(gaps[:LISTED]) + (" and others" if len(gaps) > LISTED else "")
            message = (
                f"does not contain these names from {surface}: {listed}; make the same change to"
                " both schemas"
            )
            notes.append(Problem(display_path(unstable.path), "", "unstable-lacks", message))
    return notes


def _compare(source: Source, known: dict[str, set[Name]]) -> Problem | None:
    """Return a note if a source resembles another version more than its own version.

    The source's version is compared with every other version. Each comparison counts the names in
    the source that only one of the two compared versions contains. Such names are counted even if
    a third version also contains them, because it can be nearly identical to one of the two.
    """
    names = _names_of(source)
    version = _version(source.surface)
    if version not in known:
        return None
    counts = {
        other: (len(names & theirs - known[version]), len(names & known[version] - theirs))
        for other, theirs in known.items()
    }
    alike = [other for other, (more, own) in counts.items() if more >= max(ENOUGH, 2 * own)]
    if not alike:
        return None
    likely = max(alike, key=lambda other: len(names & known[other]))
    more, own = counts[likely]
    meant = source.surface.replace(version, likely)
    message = (
        f"looks like {likely}, not {version}: {more} of its definitions, fields and"
        f" methods are only in the vendored {likely}, {own} only in {version}; if it is {likely},"
        f" use `--surface {meant}`"
    )
    return Problem(display_path(source.path), "", "other-version", message)


def _names_of(source: Source) -> set[Name]:
    """Return the names in a file, or an empty set if the file is unreadable."""
    try:
        schema, _ = read_json(source.path)
    except InputError:  # a later step reports this error
        return set()
    return names_in(schema)


def names_in(schema: Any) -> set[Name]:
    """Return the definitions, fields and methods of a schema."""
    names: set[Name] = set()
    for name, definition in _object(schema, "$defs").items():
        names.add(("definition", name))
        names |= {("member", name, member) for member in _object(definition, "properties")}
        if isinstance(definition, dict) and "x-method" in definition:
            names.add(("method", str(definition.get("x-side")), str(definition["x-method"])))
    return names


def _object(schema: Any, key: str) -> dict[str, Any]:
    """Return the object under a key of a schema, or `{}` if the object is missing or invalid."""
    value = schema.get(key) if isinstance(schema, dict) else None
    return value if isinstance(value, dict) else {}


def _version(surface: str) -> str:
    """Return the protocol version of a surface, such as `v2` for `v2_unstable`."""
    return surface.partition("_")[0]
