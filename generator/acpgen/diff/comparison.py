"""Two surfaces beside each other, and how a change between them is written down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from acpgen.diff.changes import Action, Change, Label
from acpgen.diff.compatibility.accepts import Acceptance
from acpgen.diff.matching import Matching, match
from acpgen.ir.surface import Surface


@dataclass(frozen=True, slots=True)
class Comparison:
    """What is compared.

    Attributes:
        old: the surface as it was.
        new: the surface as it is.
        matching: what has become of its definitions and methods.
        forth: whether what old peers send is accepted now.
        back: whether old peers accept what is sent now.
    """

    old: Surface
    new: Surface
    matching: Matching
    forth: Acceptance
    back: Acceptance

    @classmethod
    def of(cls, old: Surface, new: Surface) -> Comparison:
        """Find out what has become of what."""
        matching = match(old, new)
        back = {after: before for before, after in matching.definitions.items()}
        return cls(
            old,
            new,
            matching,
            forth=Acceptance(old.definitions, new.definitions, matching.definitions),
            back=Acceptance(new.definitions, old.definitions, back),
        )

    @property
    def names(self) -> Mapping[str, str]:
        """What definitions of the old surface are called in the new one."""
        return self.matching.definitions

    def change(
        self,
        subject: str,
        name: str,
        before: str | None,
        after: str | None,
        at: str,
        *,
        renamed: bool = False,
        reads: bool = True,
        writes: bool = True,
        wire: Label | None = None,
        python: Label | None = None,
    ) -> Change:
        """One change; the arguments are the attributes of `Change`, but for these.

        Args:
            at: the pointer.
            renamed: whether `before` and `after` are names of the same thing.
            wire: as `reads` and `writes` say, if it is not given.
            python: if it is not given, nothing breaks by what is added, all else does.
        """
        action: Action = "renamed" if renamed else "changed"
        if before is None:
            action = "added"
        elif after is None:
            action = "removed"
        return Change(
            surface=(
                self.old.name
                if self.old.name == self.new.name
                else f"{self.old.name} → {self.new.name}"
            ),
            subject=subject,
            name=name,
            action=action,
            before=before,
            after=after,
            reads=reads,
            writes=writes,
            wire=wire or ("compatible" if reads and writes else "breaking"),
            python=python or ("compatible" if before is None else "breaking"),
            pointer=at,
        )
