"""`UNSET`: the value of an absent field, as opposed to null."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

T = TypeVar("T")
_ABSENT: Final = "the field is absent; check `is not UNSET` first"


class UnsetType(enum.Enum):
    """The type of `UNSET`.

    UNSET is the only member of an enumeration, so copying or unpickling it returns the same object,
    and type checkers can narrow types with `is UNSET` and with truth tests.
    """

    # The value is not a string, since `orjson` and `pydantic` would serialize a string.
    UNSET = object()

    def __bool__(self) -> Literal[False]:
        return False

    def __repr__(self) -> str:
        return "UNSET"

    def __str__(self) -> str:
        return "UNSET"

    if not TYPE_CHECKING:  # type checkers must reject these operations

        def __getattr__(self, name: str) -> Any:
            raise AttributeError(f"UNSET has no attribute {name!r}: {_ABSENT}")

        def __iter__(self) -> Any:
            raise TypeError(f"UNSET cannot be iterated over: {_ABSENT}")

        def __getitem__(self, key: object) -> Any:
            raise TypeError(f"UNSET has no items: {_ABSENT}")

        def __call__(self, *args: object, **kwargs: object) -> Any:
            raise TypeError(f"UNSET cannot be called: {_ABSENT}")

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return getattr, (UnsetType, "UNSET")  # pickle the name, since the value cannot be pickled


UNSET: Final = UnsetType.UNSET


def given(value: T | None) -> T | UnsetType:
    """Return the value, or UNSET if the value is None, because None would be sent as null."""
    return UNSET if value is None else value
