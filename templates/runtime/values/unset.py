"""`UNSET`: the value of an absent field, as opposed to null."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

T = TypeVar("T")
_ABSENT: Final = "the field is absent; check `is not UNSET` first"


class UnsetType(enum.Enum):
    """The type of `UNSET`.

    As the only member of an enumeration, UNSET stays the same object when copied or pickled, and
    type checkers narrow it with `is UNSET` and with a truth test.
    """

    # Not a string, since `orjson` and `pydantic` write an enumeration as its value.
    UNSET = object()

    def __bool__(self) -> Literal[False]:
        return False

    def __repr__(self) -> str:
        return "UNSET"

    def __str__(self) -> str:
        return "UNSET"

    if not TYPE_CHECKING:  # for type checkers, it supports none of this

        def __getattr__(self, name: str) -> Any:
            raise AttributeError(f"UNSET has no attribute {name!r}: {_ABSENT}")

        def __iter__(self) -> Any:
            raise TypeError(f"UNSET cannot be iterated over: {_ABSENT}")

        def __getitem__(self, key: object) -> Any:
            raise TypeError(f"UNSET has no items: {_ABSENT}")

        def __call__(self, *args: object, **kwargs: object) -> Any:
            raise TypeError(f"UNSET cannot be called: {_ABSENT}")

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return getattr, (UnsetType, "UNSET")  # its value cannot be pickled


UNSET: Final = UnsetType.UNSET


def given(value: T | None) -> T | UnsetType:
    """Return UNSET for None, which a field would send as null; otherwise the value itself."""
    return UNSET if value is None else value
