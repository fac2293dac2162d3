"""`UNSET`: the value of a member that is absent, as opposed to null."""

from __future__ import annotations

import enum
from typing import Any, Final, Literal


class UnsetType(enum.Enum):
    """The type of `UNSET`.

    As the only member of an enumeration, UNSET stays the same object when copied and pickled, and
    type checkers narrow it away with `is UNSET` and with a test of truth.
    """

    # Not a string: `orjson` and `pydantic` write an enumeration as its value.
    UNSET = object()

    def __bool__(self) -> Literal[False]:
        return False

    def __repr__(self) -> str:
        return "UNSET"

    def __str__(self) -> str:
        return "UNSET"

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return getattr, (UnsetType, "UNSET")  # its value cannot be pickled


UNSET: Final = UnsetType.UNSET
