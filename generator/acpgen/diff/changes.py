"""A change of the schema, and whom it breaks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

Label: TypeAlias = Literal["breaking", "compatible", "internal"]
Action: TypeAlias = Literal["added", "removed", "renamed", "changed"]
LABELS: tuple[Label, ...] = ("breaking", "compatible", "internal")


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that is not as it was.

    Attributes:
        surface: where; two names with an arrow when surfaces of different names are compared.
        subject: what it is: `definition`, `member`, `arm`, `value`, `method`, `capability`, ...
        name: what it is relabelled, such as `ToolCall.title`; if renamed, what it was called.
        action: what happened to it.
        before: what it was, in a few words; None for what was not there.
        after: what it is.
        reads: whether what an old peer sends still decodes.
        writes: whether an old peer accepts what is sent now.
        wire: whether it breaks messages; `internal` where no message changes.
        python: whether it breaks code that imports, constructs, matches or reads;
            `internal` where no such code can tell.
        pointer: where the schema says so; the old one if the thing is gone.
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
    def is_breaking(self) -> bool:
        """Whether it breaks anything."""
        return "breaking" in (self.wire, self.python)


def worst(changes: Iterable[Change]) -> Label | None:
    """The worst label of all; None if nothing has changed."""
    found = {label for change in changes for label in (change.wire, change.python)}
    return next((label for label in LABELS if label in found), None)
