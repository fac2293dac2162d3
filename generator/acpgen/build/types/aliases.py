"""Find aliases whose Python form does not say which definition they are.

`decode` is handed a type and must know its definition. A class is itself; an alias such as `str`
or `Literal["a", "b"] | str` may be that of several definitions, which do not all accept the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from acpgen.ir.model import (
    Alias,
    Array,
    Definition,
    Dictionary,
    Enumeration,
    Integer,
    Nullable,
    Number,
    Shape,
    String,
    UntaggedArm,
    UntaggedUnion,
)


def mark_annotated(definitions: Mapping[str, Definition]) -> dict[str, Definition]:
    """Set `Alias.needs_annotation` where it is needed."""
    shapes_by_form: dict[Shape, set[Shape]] = {}
    for definition in definitions.values():
        if isinstance(definition, Alias):
            shapes_by_form.setdefault(_python_form(definition.shape), set()).add(definition.shape)
    marked: dict[str, Definition] = {}
    for name, definition in definitions.items():
        if isinstance(definition, Alias):
            shape = definition.shape
            scalar = isinstance(shape, String | Integer | Number)
            constrained = scalar and shape != _python_form(shape)
            clash = len(shapes_by_form[_python_form(shape)]) > 1
            definition = replace(definition, needs_annotation=constrained or clash)
        marked[name] = definition
    return marked


def _python_form(shape: Shape) -> Shape:
    """A shape without what its Python type does not show: bounds, openness, exclusiveness."""
    match shape:
        case String():
            return String()
        case Integer():
            return Integer()
        case Number():
            return Number()
        case Enumeration(values, _, other, keep):
            return Enumeration(values, String(), String() if other or keep else None, False)
        case Array(items):
            return Array(_python_form(items))
        case Dictionary(values):
            return Dictionary(_python_form(values))
        case Nullable(inner):
            return Nullable(_python_form(inner))
        case UntaggedUnion(arms):
            forms = (UntaggedArm(_python_form(arm.shape), (), ()) for arm in arms)
            return UntaggedUnion(tuple(forms), False)
        case _:
            return shape
