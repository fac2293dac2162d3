"""A change of the schema, and what it breaks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Label: TypeAlias = Literal["breaking", "unknown", "compatible", "internal"]
Action: TypeAlias = Literal["added", "removed", "renamed", "changed"]
LABELS: tuple[Label, ...] = ("breaking", "unknown", "compatible", "internal")


@dataclass(frozen=True, slots=True)
class Change:
    """One difference between two surfaces.

    Attributes:
        surface: the surface it is in; `old → new` if surfaces of different names are compared.
        subject: the kind of thing: `definition`, `member`, `arm`, `value`, `method`, ...
        name: the thing, such as `ToolCall.title`; if renamed, its old name.
        action: what happened to it.
        before: its old state in a few words; None if it was added.
        after: its new state in a few words; None if it was removed.
        reads: whether the new side still decodes what an old peer sends.
        writes: whether an old peer accepts what the new side sends.
        wire: the effect on messages; `internal` if they stay the same, and `unknown` if the
            packages do not check the changed part, but others might.
        python: the effect on code that imports, constructs, matches or reads; `internal` if such
            code cannot tell.
        pointer: where the schema states it; in the old schema if the thing was removed.
    """

    surface: str
    subject: str
    name: str
    action: Action
    before: str | None
    after: str | None
    reads: bool
    writes: bool
    wire: Label
    python: Label
    pointer: str

    @property
    def what(self) -> str:
        """What happened, in a few words, such as `member removed`."""
        return f"{self.subject} {self.action}"

    @property
    def is_breaking(self) -> bool:
        """Whether it breaks messages or code."""
        return "breaking" in (self.wire, self.python)
