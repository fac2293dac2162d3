"""The decisions of `bridge.toml`, both used and missing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from acpgen.common.pointers import pointer
from acpgen.common.problems import Problem
from acpgen.ir.model import Alias, Definition, Record

FILE = "schema/overlay/bridge.toml"
MISSING_DECISION = "missing-decision"  # the code of a problem
TO_NEWER, TO_OLDER = "to_newer", "to_older"

# The content of the file; `overlay.schema.json` defines it.
Overlay: TypeAlias = Mapping[str, Any]


class Decisions:
    """The decisions about the bridge, with the problems about missing ones in `missing`."""

    def __init__(self, overlay: Overlay) -> None:
        self.missing: list[Problem] = []
        self._overlay = overlay
        self._used: set[tuple[str, ...]] = set()

    def entry(self, *path: str) -> Any:
        """Return the entry at a path of keys and record its use. None if there is none."""
        found: Any = self._overlay
        for key in path:
            if not isinstance(found, Mapping) or key not in found:
                return None
            found = found[key]
        self._used.add(path)
        return found

    def miss(self, message: str, *path: str) -> None:
        """Record that a decision is missing at a path of keys."""
        self.missing.append(Problem(FILE, pointer(*path), MISSING_DECISION, message))

    def unused(self) -> list[Problem]:
        """Return problems about unused entries: two keys below a section, or of a definition."""
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
    """The decisions about the definitions of one direction."""

    def __init__(self, decisions: Decisions, direction: str) -> None:
        """Create the view of a direction, by the name of its section."""
        self._decisions = decisions
        self.direction = direction
        self._back = TO_OLDER if direction == TO_NEWER else TO_NEWER

    def about(self, definition: Definition, key: str) -> Any:
        """Return a decision about a definition, or about the definition that it is made of.

        A variant without its own definition uses the entry of its union, or of its base.
        """
        return self._first(self.direction, definition, key)

    def both_ways(self, sent: Definition, expected: Definition, key: str) -> Any:
        """Return a decision that applies to both directions, preferably from this one."""
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
        """Record that a decision about a definition, or its name, is missing."""
        name = definition if isinstance(definition, str) else definition.name
        self._decisions.miss(message, self.direction, name)
