"""What surfaces, lists of methods and kinds of definitions are called."""

from __future__ import annotations

from acpgen.model import Alias, Choice, Definition, Enumeration, TaggedUnion


def surface_title(name: str) -> str:
    """Such as `v1`, or `v1 unstable`."""
    return name.replace("_", " ")


def side_title(side: str) -> str:
    """The title of the methods that a side handles."""
    return "Methods of either side" if side == "protocol" else f"Methods of the {side}"


def kind_of(definition: Definition) -> str:
    """What kind of thing a definition is."""
    if isinstance(definition, TaggedUnion):
        return "tagged union"
    if not isinstance(definition, Alias):
        return "object"
    if isinstance(definition.shape, Enumeration):
        return "enumeration"
    return "untagged union" if isinstance(definition.shape, Choice) else "alias"
