"""What a schema of one's own adds to a surface, besides definitions and methods."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MetaEntries:
    """Typed entries of the `_meta` of one class of the protocol.

    Attributes:
        owner: the class, by its qualified name such as `v2.ToolCall`.
        record: the definition whose members are the entries.
        view: the class that gives access to them.
        base: the view of a class that the owner extends, if that has entries, too.
    """

    owner: str
    record: str
    view: str
    base: str | None


@dataclass(frozen=True, slots=True)
class VariantUnion:
    """A union of the protocol with typed forms of tags that the protocol does not list.

    Attributes:
        union: the definition that has them: they are its arms, and the protocol's union is its
            default.
        base: the union of the protocol, by its qualified name.
        unknown: the class of the protocol for tags that it does not list, also qualified.
        tags: the tags of the variants.
        classes: the classes of the variants.
    """

    union: str
    base: str
    unknown: str
    tags: tuple[str, ...]
    classes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Extension:
    """What makes a surface one that extends another.

    Attributes:
        base: the name of the surface that it extends.
        meta: the entries of `_meta`, those of a base class before those of its subclasses.
        variants: the unions with variants.
    """

    base: str
    meta: tuple[MetaEntries, ...] = ()
    variants: tuple[VariantUnion, ...] = ()
