"""Base classes of the generated types."""

from __future__ import annotations

from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

from .deferred import dataclass
from .unset import UNSET, UnsetType


class Record:
    """Base class of protocol objects. Each subclass is a dataclass.

    Attributes:
        unknown_fields: the fields that the schema does not define, by wire name; None if there are
            none. Decoding collects these fields, and encoding writes them.
    """

    if not TYPE_CHECKING:
        __slots__ = ()  # subclasses define a slot for each field

    # Pydantic calls these two methods for a field of this class. `Unknown` also defines them, since
    # a common base class would slow down the import of all types.

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        from .pydantic_fields import core_schema

        return core_schema(cls)

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: Any) -> dict[str, Any]:
        from .pydantic_fields import json_schema

        made: dict[str, Any] = json_schema(cls, schema, handler)
        return made

    # This is not a dataclass field here, because subclasses place it after all other fields.
    unknown_fields: dict[str, Any] | None

    @recursive_repr()
    def __repr__(self) -> str:
        """Return a representation that contains the fields that are not UNSET."""
        values = [(name, getattr(self, name)) for name in members(type(self))]
        if self.unknown_fields:
            values.append(("unknown_fields", self.unknown_fields))
        shown = ", ".join(f"{name}={value!r}" for name, value in values if value is not UNSET)
        return f"{type(self).__qualname__}({shown})"


@dataclass(slots=True)
class Unknown:
    """An object of a tagged union with a tag that the schema does not define.

    Attributes:
        tag: the value of the tag.
        raw: the entire JSON object, including the tag.
    """

    tag: str
    raw: dict[str, Any]

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        from .pydantic_fields import core_schema

        return core_schema(cls)

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: Any) -> dict[str, Any]:
        from .pydantic_fields import json_schema

        made: dict[str, Any] = json_schema(cls, schema, handler)
        return made

    @property
    def is_extension(self) -> bool:
        """True if the tag begins with `_` and is therefore custom, not from a later version."""
        return self.tag.startswith("_")

    @property
    def meta(self) -> dict[str, Any] | UnsetType | None:
        """The object's `_meta`; UNSET if it is absent or neither an object nor null."""
        meta: dict[str, Any] | UnsetType | None = self.raw.get("_meta", UNSET)
        return meta if meta is None or isinstance(meta, dict) else UNSET


_MEMBERS: dict[type, tuple[str, ...]] = {}


def members(cls: type) -> tuple[str, ...]:
    """Return the field names of a record class except `unknown_fields`."""
    names = _MEMBERS.get(cls)
    if names is None:
        from dataclasses import fields  # imported here because importing it is slow

        names_of_fields = (field.name for field in fields(cls))
        names = _MEMBERS[cls] = tuple(name for name in names_of_fields if name != "unknown_fields")
    return names
