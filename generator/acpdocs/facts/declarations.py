"""Python declarations of types, with links to the types that they refer to."""

from __future__ import annotations

from collections.abc import Iterable

from acpgen.emit.contexts.annotations_and_defaults import UNKNOWN, annotation
from acpgen.emit.python import quoting
from acpgen.ir.model import Alias, Definition, Member, Record, Reference, TaggedUnion
from acpgen.ir.naming import unqualified
from acpgen.ir.queries import references, unknown_of
from acpgen.ir.surface import Surface

from acpdocs.content import Signature
from acpdocs.links import type_page
from acpdocs.markdown import formatted


class Declarations:
    """The declarations of a surface's types."""

    def __init__(self, surface: Surface) -> None:
        self._surface = surface

    def of(self, definition: Definition) -> Signature:
        """Return the declaration of an alias or class, including a class's inherited fields."""
        match definition:
            case Record(name=name, base=base, members=members):
                lines = [f"class {name}({base}):" if base else f"class {name}:"]
                lines += [f"    {_member(member)}" for member in members]
                lines.append(f"    {UNKNOWN}: dict[str, Any] | None = None")
                used = [name for member in members for name in references(member.shape)]
                return self._linked("\n".join(lines), [base, *used] if base else used)
            case TaggedUnion(name=name, arms=arms, unknown=unknown) if unknown is not None:
                # `Known…` omits the unknown variants of open unions, so add the complete unions.
                known = self._surface.known
                names = [arm.target for arm in arms if unknown_of(known[arm.target])]
                names.append(unknown.name)
                return self._alias(name, " | ".join([unknown.known, *names]), names)
            case TaggedUnion(name=name, arms=arms, default=default):
                shapes = [*(Reference(arm.target) for arm in arms), *([default] if default else [])]
                used = [name for shape in shapes for name in references(shape)]
                return self._alias(name, " | ".join(map(annotation, shapes)), used)
            case Alias(name=name, shape=shape):
                return self._alias(name, annotation(shape), references(shape))

    def of_unknown(self, name: str) -> Signature:
        """Return the declaration of a union's class for unknown tags."""
        return Signature(f"class {name}:\n    tag: str\n    raw: dict[str, Any]", {})

    def _alias(self, name: str, value: str, used: Iterable[str]) -> Signature:
        return self._linked(formatted(f"{name}: TypeAlias = {value}"), used)

    def _linked(self, code: str, names: Iterable[str]) -> Signature:
        pages = {unqualified(name): type_page(self._surface, name) for name in names}
        return Signature(code, pages)


def _member(member: Member) -> str:
    declared = f"{member.name}: {annotation(member.shape)}"
    if member.required:
        return declared
    value = "UNSET" if member.const is None else quoting.literal(member.const)
    return f"{declared} | UnsetType = {value}"
