"""The decisions in `bridge.toml`, with a record of used and missing decisions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from acpgen.common.pointers import pointer
from acpgen.common.problems import Problem
from acpgen.ir.model import Alias, Definition, Record

FILE = "schema/overlay/bridge.toml"
MISSING_DECISION = "missing-decision"  # a problem code
TO_NEWER, TO_OLDER = "to_newer", "to_older"

# The content of the file, as defined by `overlay.schema.json`.
Overlay: TypeAlias = Mapping[str, Any]


class Decisions:
    """The decisions about the bridge. `missing` contains a problem for each missing decision."""

    def __init__(self, overlay: Overlay) -> None:
        self.missing: list[Problem] = []
        self._overlay = overlay
        self._used: set[tuple[str, ...]] = set()

    def entry(self, *path: str) -> Any:
        """Mark the entry at a path of keys as used and return it, or None if there is no entry."""
        found: Any = self._overlay
        for key in path:
            if not isinstance(found, Mapping) or key not in found:
                return None
            found = found[key]
        self._used.add(path)
        return found

    def miss(self, message: str, *path: str) -> None:
        """Record that the decision at a path of keys is missing."""
        self.missing.append(Problem(FILE, pointer(*path), MISSING_DECISION, message))

    def unused(self) -> list[Problem]:
        """Return a problem for each unused entry. Each section contains groups of entries."""
        below = ("methods", "capabilities", "promises", "updates", TO_NEWER, TO_OLDER, "parts")
        paths = [
            (section, group, name)
            for section in below
            for group, names in self._overlay.get(section, {}).items()
            for name in names
        ]
        message = "matches nothing in the schema; remove the entry"
        return [
            Problem(FILE, pointer(*path), "overlay", message)
            for path in paths
            if path not in self._used
        ]


class DirectionDecisions:
    """The decisions about definitions for one direction."""

    def __init__(self, decisions: Decisions, direction: str) -> None:
        """Create a view of the decisions for a direction (`to_newer` or `to_older`)."""
        self._decisions = decisions
        self.direction = direction
        self._back = TO_OLDER if direction == TO_NEWER else TO_NEWER

    def about(self, definition: Definition, key: str) -> Any:
        """Return a decision about a definition, or None if there is none.

        A variant without its own definition uses the entry for its base or its union.
        """
        return self._first(self.direction, definition, key)

    def both_ways(self, sent: Definition, expected: Definition, key: str) -> Any:
        """Return a decision that applies in both directions, preferring this direction's entry."""
        found = self.about(sent, key)
        if found is not None:
            return found
        found = self._first(self._back, expected, key)
        if found is not None and key == "renamed":
            return {new: old for old, new in found.items()}
        return found

    def _first(self, direction: str, definition: Definition, key: str) -> Any:
        names: list[str | None] = [definition.name]
        if isinstance(definition, Record):
            names.append(definition.base)
        if not isinstance(definition, Alias):
            names.append(definition.owner)
        entries = (self._decisions.entry(direction, name, key) for name in names if name)
        return next((entry for entry in entries if entry is not None), None)

    def miss(self, definition: Definition | str, message: str) -> None:
        """Record that a decision is missing. `definition` is a definition or its name."""
        name = definition if isinstance(definition, str) else definition.name
        self._decisions.miss(message, self.direction, name)
