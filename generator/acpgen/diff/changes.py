"""A change of the schema, and its effects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Label: TypeAlias = Literal["breaking", "unknown", "compatible", "internal"]
Action: TypeAlias = Literal["added", "removed", "renamed", "changed"]
LABELS: tuple[Label, ...] = ("breaking", "unknown", "compatible", "internal")


@dataclass(frozen=True, slots=True)
class Change:
    """One difference between two surfaces."""

    surface: str  # `old → new` if surfaces with different names are compared
    subject: str  # the kind of thing: `definition`, `member`, `arm`, `value`, `method`, ...
    name: str  # the thing, such as `ToolCall.title`; if renamed, its old name
    action: Action
    before: str | None  # its old state in a few words; None if it was added
    after: str | None  # its new state in a few words; None if it was removed
    reads: bool  # whether the new side still decodes messages of an old peer
    writes: bool  # whether an old peer accepts messages of the new side
    # The effect on messages: `internal` if they stay the same, and `unknown` if the packages do not
    # check the changed part, but others might.
    wire: Label
    # The effect on code that imports, constructs, matches or reads; `internal` if there is none.
    python: Label
    pointer: str  # the location in the schema; in the old schema if the thing was removed

    @property
    def what(self) -> str:
        """The change in a few words, such as `member removed`."""
        return f"{self.subject} {self.action}"

    @property
    def is_breaking(self) -> bool:
        """True if the change breaks messages or code."""
        return "breaking" in (self.wire, self.python)
