"""Two matched surfaces, and how to record a change between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from acpgen.diff.acceptance import Acceptance
from acpgen.diff.changes import Action, Change, Label
from acpgen.diff.matching import Matching, match
from acpgen.ir.surface import Surface


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two surfaces to compare.

    Attributes:
        old: the surface before the change.
        new: the surface after it.
        matching: which old definitions and methods are which new ones.
        old_to_new: whether the new side accepts what old peers send.
        new_to_old: whether old peers accept what the new side sends.
    """

    old: Surface
    new: Surface
    matching: Matching
    old_to_new: Acceptance
    new_to_old: Acceptance

    @classmethod
    def of(cls, old: Surface, new: Surface) -> Comparison:
        """Match two surfaces."""
        matching = match(old, new)
        old_names = {after: before for before, after in matching.definitions.items()}
        return cls(
            old,
            new,
            matching,
            old_to_new=Acceptance(old.definitions, new.definitions, matching.definitions),
            new_to_old=Acceptance(new.definitions, old.definitions, old_names),
        )

    @property
    def new_names(self) -> Mapping[str, str]:
        """The new names of matched definitions, by old name."""
        return self.matching.definitions

    def change(
        self,
        subject: str,
        name: str,
        before: str | None,
        after: str | None,
        pointer: str,
        *,
        renamed: bool = False,
        reads: bool = True,
        writes: bool = True,
        wire: Label | None = None,
        python: Label | None = None,
    ) -> Change:
        """Record a change; the arguments are attributes of `Change`, except these.

        Args:
            renamed: whether `before` and `after` are two names of the same thing.
            wire: by default, `breaking` unless `reads` and `writes` both hold.
            python: by default, `compatible` for additions and `breaking` for all else.
        """
        action: Action = "renamed" if renamed else "changed"
        if before is None:
            action = "added"
        elif after is None:
            action = "removed"
        is_same = self.old.name == self.new.name
        return Change(
            surface=self.old.name if is_same else f"{self.old.name} → {self.new.name}",
            subject=subject,
            name=name,
            action=action,
            before=before,
            after=after,
            reads=reads,
            writes=writes,
            wire=wire or ("compatible" if reads and writes else "breaking"),
            python=python or ("compatible" if before is None else "breaking"),
            pointer=pointer,
        )
