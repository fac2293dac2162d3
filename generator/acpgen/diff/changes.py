"""Schema changes and their effects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Label: TypeAlias = Literal["breaking", "unknown", "compatible", "internal"]
Action: TypeAlias = Literal["added", "removed", "renamed", "changed"]
LABELS: tuple[Label, ...] = ("breaking", "unknown", "compatible", "internal")


@dataclass(frozen=True, slots=True)
class Change:
    """A difference between two surfaces."""

    surface: str  # `old → new` if surfaces with different names are compared
    subject: str  # the kind of part: `definition`, `field`, `variant`, `value`, `method`, ...
    name: str  # the changed part's name before any renaming, such as `ToolCall.title`
    action: Action
    before: str | None  # a short description of the old state, or None if the part was added
    after: str | None  # a short description of the new state, or None if the part was removed
    reads: bool  # whether the new side still decodes messages from an old peer
    writes: bool  # whether an old peer accepts messages from the new side
    # The effect on messages: `internal` if they don't change, and `unknown` if the package does not
    # check the changed part but other peers might.
    wire: Label
    # The effect on code that imports, constructs, matches or reads the changed part, or `internal`
    # if there is no effect.
    python: Label
    pointer: str  # the location in the new schema or, if the part was removed, in the old schema

    @property
    def what(self) -> str:
        """A short description of the change, such as `field removed`."""
        return f"{self.subject} {self.action}"

    @property
    def is_breaking(self) -> bool:
        """True if the change breaks messages or code."""
        return "breaking" in (self.wire, self.python)
