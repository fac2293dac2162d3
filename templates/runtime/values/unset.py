"""`UNSET`: the mark of a member that is absent, as opposed to one that is null."""

from __future__ import annotations

import enum
from typing import Final, Literal


class UnsetType(enum.Enum):
    """The type of `UNSET`.

    An enumeration with one member: it stays the same object through copy and pickle, and type
    checkers narrow it away on `is UNSET` as well as by truth.
    """

    UNSET = "UNSET"

    def __bool__(self) -> Literal[False]:
        return False

    def __repr__(self) -> str:
        return "UNSET"

    def __str__(self) -> str:
        return "UNSET"


UNSET: Final = UnsetType.UNSET
