"""The decisions of `bridge.toml`: which of them had a use, and which are missing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from acpgen.common.pointers import pointer
from acpgen.common.problems import Problem
from acpgen.ir.model import Definition, Record, TaggedUnion

FILE = "schema/overlay/bridge.toml"
MISSING_DECISION = "missing-decision"  # the code of a problem

# The content of the file; `overlay.schema.json` says what is in it.
Overlay: TypeAlias = Mapping[str, Any]


class Decisions:
    """What a person has decided about the bridge.

    Attributes:
        missing: problems about what nobody has decided.
    """

    def __init__(self, overlay: Overlay) -> None:
        self.missing: list[Problem] = []
        self._overlay = overlay
        self._used: set[tuple[str, ...]] = set()

    def entry(self, *path: str) -> Any:
        """Return what stands at a path of keys, and take note of its use; None if nothing does."""
        found: Any = self._overlay
        for key in path:
            if not isinstance(found, Mapping) or key not in found:
                return None
            found = found[key]
        self._used.add(path)
        return found

    def miss(self, message: str, *path: str) -> None:
        """Take note that something is missing at a path of keys."""
        self.missing.append(Problem(FILE, pointer(*path), MISSING_DECISION, message))

    def unused(self) -> list[Problem]:
        """Problems about entries that nothing had a use for."""
        message = "matches nothing in the schema; remove the entry"
        return [
            Problem(FILE, pointer(*path), "overlay", message)
            for path in self._paths()
            if path not in self._used
        ]

    def _paths(self) -> list[tuple[str, ...]]:
        """Return the paths of all entries: two levels down, and the keys of definitions."""
        two_levels = [
            (section, group, name)
            for section in ("methods", "capabilities", "promises", "updates")
            for group, names in self._overlay.get(section, {}).items()
            for name in names
        ]
        of_definitions = [
            (direction, name, key)
            for direction in ("to_newer", "to_older")
            for name, keys in self._overlay.get(direction, {}).items()
            for key in keys
        ]
        parts = [
            ("parts", direction, name)
            for direction, names in self._overlay.get("parts", {}).items()
            for name in names
        ]
        return [*two_levels, *of_definitions, *parts]


class DirectionDecisions:
    """The decisions about the definitions of one direction."""

    def __init__(self, decisions: Decisions, direction: str, back: str) -> None:
        """Look at one direction.

        Args:
            decisions: all decisions.
            direction: the section of the direction.
            back: that of the other one.
        """
        self._decisions = decisions
        self.direction = direction
        self._back = back

    def about(self, definition: Definition, key: str) -> Any:
        """Return a decision about a definition, or about the one that it is made of.

        An arm without a definition of its own goes by the entry of its union, or of the definition
        that it extends.
        """
        for name in _names(definition):
            found = self._decisions.entry(self.direction, name, key)
            if found is not None:
                return found
        return None

    def both_ways(self, sent: Definition, expected: Definition, key: str) -> Any:
        """Return a decision that holds in both directions, whichever of them has it.

        Returns:
            The decision of this direction, or else that of the other one; None if there is none.
        """
        found = self.about(sent, key)
        if found is not None:
            return found
        for name in _names(expected):
            found = self._decisions.entry(self._back, name, key)
            if found is not None:
                return {new: old for old, new in found.items()} if key == "renamed" else found
        return None

    def miss(self, definition: Definition, message: str) -> None:
        """Take note that something about a definition is not decided."""
        self.miss_at(definition.name, message)

    def miss_at(self, name: str, message: str) -> None:
        """Take note that something about a definition is not decided, by its name."""
        self._decisions.miss(message, self.direction, name)


def _names(definition: Definition) -> list[str]:
    """The names by which decisions may be about a definition."""
    related: list[str | None] = [definition.name]
    if isinstance(definition, Record):
        related += [definition.base, definition.owner]
    if isinstance(definition, TaggedUnion):
        related.append(definition.owner)
    return [name for name in related if name is not None]
