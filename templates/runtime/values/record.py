"""Base classes of the generated types."""

from __future__ import annotations

from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

from .deferred import dataclass
from .unset import UNSET, UnsetType


class Record:
    """An object of the protocol. Each subclass is a dataclass.

    Attributes:
        unknown_fields: the fields that the schema does not define, by wire name; None if there are
            none. Decoding collects them, encoding writes them back.
    """

    if not TYPE_CHECKING:
        __slots__ = ()  # subclasses have one for each field

    # Called by pydantic for the class of a model's field. Not in a base class of `Record` and
    # `Unknown`, since each base makes the import of all types slower.

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        from .pydantic_fields import core_schema

        return core_schema(cls)

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: Any) -> dict[str, Any]:
        from .pydantic_fields import json_schema

        made: dict[str, Any] = json_schema(cls, schema, handler)
        return made

    # Not a dataclass field of this class: in subclasses, it comes after all other fields.
    unknown_fields: dict[str, Any] | None

    @recursive_repr()
    def __repr__(self) -> str:
        """Show the fields that are set."""
        values = [(name, getattr(self, name)) for name in members(type(self))]
        if self.unknown_fields:
            values.append(("unknown_fields", self.unknown_fields))
        shown = ", ".join(f"{name}={value!r}" for name, value in values if value is not UNSET)
        return f"{type(self).__qualname__}({shown})"


@dataclass(slots=True)
class Unknown:
    """An object of a tagged union whose tag the schema does not list.

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
        """True if the tag is custom (begins with `_`), not from a later protocol version."""
        return self.tag.startswith("_")

    @property
    def meta(self) -> dict[str, Any] | UnsetType | None:
        """The `_meta` of the object, as in records; UNSET also if it is of another type."""
        meta: dict[str, Any] | UnsetType | None = self.raw.get("_meta", UNSET)
        return meta if meta is None or isinstance(meta, dict) else UNSET


_MEMBERS: dict[type, tuple[str, ...]] = {}


def members(cls: type) -> tuple[str, ...]:
    """Return the field names of a record class, without `unknown_fields`."""
    names = _MEMBERS.get(cls)
    if names is None:
        from dataclasses import fields  # here, since it is slow

        names_of_fields = (field.name for field in fields(cls))
        names = _MEMBERS[cls] = tuple(name for name in names_of_fields if name != "unknown_fields")
    return names
