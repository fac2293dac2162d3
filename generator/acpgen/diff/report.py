"""The report of all changes between two revisions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from acpgen.diff.changes import LABELS, Change
from acpgen.diff.compare import compare
from acpgen.ir.surface import Surface


@dataclass(frozen=True, slots=True)
class Report:
    """All changes from one revision to another, by surface."""

    old: str  # the old revision as specified by the user
    new: str  # the new revision as specified by the user
    changes: tuple[Change, ...]

    def surfaces(self) -> dict[str, list[Change]]:
        """Return the changes grouped by surface."""
        by_surface: dict[str, list[Change]] = {}
        for change in self.changes:
            by_surface.setdefault(change.surface, []).append(change)
        return by_surface

    def counts(self) -> dict[str, dict[str, int]]:
        """Count the changes by label, separately for the wire and for Python."""
        wire = Counter(change.wire for change in self.changes)
        python = Counter(change.python for change in self.changes)
        return {label: {"wire": wire[label], "python": python[label]} for label in LABELS}


def report(
    names: tuple[str, str], old: Mapping[str, Surface], new: Mapping[str, Surface]
) -> Report:
    """Compare the surfaces of two revisions by name.

    If each revision contains only one surface, the two are compared regardless of their names.
    """
    changes: list[Change] = []
    if len(old) == len(new) == 1:
        changes += compare(*old.values(), *new.values())
    else:
        for name in sorted(old.keys() | new.keys()):
            if name not in old:
                changes.append(_whole_surface(new[name], is_new=True))
            elif name not in new:
                changes.append(_whole_surface(old[name], is_new=False))
            else:
                changes += compare(old[name], new[name])
    return Report(*names, tuple(changes))


def _whole_surface(surface: Surface, *, is_new: bool) -> Change:
    """Return the addition or removal of a surface as a change."""
    text = f"protocol {surface.version}, {surface.stability}"
    return Change(
        surface=surface.name,
        subject="surface",
        name=surface.name,
        action="added" if is_new else "removed",
        before=None if is_new else text,
        after=text if is_new else None,
        reads=is_new,
        writes=is_new,
        wire="compatible" if is_new else "breaking",
        python="compatible" if is_new else "breaking",
        pointer="",
    )
